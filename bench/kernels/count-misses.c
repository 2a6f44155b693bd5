// References by thread, variable and class of miss, in C.
#include <dprof/kernel.h>
#include <stdlib.h>

enum { THREADS = 64, CLASSES = 8, VARIABLES = 1 << 16 };

static const char *const columns[] = {"thread", "variable", "miss", NULL};

static void *start(void) { return calloc((size_t)THREADS * CLASSES * VARIABLES, sizeof(uint64_t)); }

static void batch(void *state, const struct dprof_kernel_rows *rows) {
  uint64_t *counts = state;
  const uint32_t *threads = rows->columns[0].values;
  for (size_t row = 0; row < rows->count; row++) {
    const uint32_t variable = dprof_kernel_value(&rows->columns[1], row),
                   miss = dprof_kernel_value(&rows->columns[2], row);
    counts[((threads[row] % THREADS) * CLASSES + miss) * VARIABLES + variable % VARIABLES]++;
  }
}

static void end(void *state, FILE *answer) {
  uint64_t sum = 0;
  for (size_t at = 0; at < (size_t)THREADS * CLASSES * VARIABLES; at++) sum += ((uint64_t *)state)[at];
  fprintf(answer, "%llu\n", (unsigned long long)sum);
  free(state);
}

const struct dprof_kernel_functions dprof_kernel = {DPROF_KERNEL_VERSION, columns, start, batch, end};
