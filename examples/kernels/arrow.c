// References, L1 misses and latency, over Arrow's C stream: a library that reads Arrow would be called in run().
#include <dprof/kernel.h>

static const char *const columns[] = {"latency", "miss", NULL};

static int run(struct ArrowArrayStream *references, FILE *answer) {
  unsigned long count = 0, misses = 0, cycles = 0;
  for (struct ArrowArray rows; references->get_next(references, &rows) == 0 && rows.release; rows.release(&rows)) {
    const struct ArrowArray *latency = rows.children[0], *miss = rows.children[1];
    const uint8_t *missed = miss->buffers[0]; // a bit for each row; NULL: all
    const uint32_t *of = latency->buffers[1];
    for (int64_t row = 0; row < rows.length; row++) {
      count++, cycles += of[row];
      misses += !missed || missed[row / 8] >> row % 8 & 1;
    }
  }
  fprintf(answer, "%lu references, %lu misses, %lu cycles\n", count, misses, cycles);
  return 0;
}
const struct dprof_arrow_kernel_functions dprof_arrow_kernel = {DPROF_KERNEL_VERSION, columns, run};
