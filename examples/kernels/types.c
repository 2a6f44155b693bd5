// References and L1 misses of each type, in C.
#include <dprof/kernel.h>
#include <stdlib.h>

enum { MOST = 1 << 16 };
static struct counts {
  unsigned long refs, misses;
} counts[MOST];
static const char *const *words;
static uint32_t word_count;
static const char *const columns[] = {"type", "miss", NULL};

static void batch(void *state, const struct dprof_kernel_rows *rows) {
  const struct dprof_kernel_column *type = &rows->columns[0], *miss = &rows->columns[1];
  words = type->words, word_count = type->word_count;
  for (size_t row = 0; row < rows->count; row++) {
    struct counts *of = &counts[dprof_kernel_value(type, row) % MOST];
    of->refs++, of->misses += dprof_kernel_word(miss, row) != NULL;
  }
}
static void end(void *state, FILE *answer) {
  for (uint32_t at = 0; at < word_count && at < MOST; at++)
    if (counts[at].refs) fprintf(answer, "%s %lu %lu\n", words[at], counts[at].refs, counts[at].misses);
}
const struct dprof_kernel_functions dprof_kernel = {DPROF_KERNEL_VERSION, columns, NULL, batch, end};
