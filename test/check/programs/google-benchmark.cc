// A sum over so many lines, an iteration each, by Google Benchmark: 1024 lines are twice the L1 that the test replays
// on, which a least-recently-used cache misses every time; 4 lines miss in the first iteration alone.
#include <dprof/benchmark.h>

struct alignas(64) row {
  long value;
};

static row rows[1024];

static void warm_up_elsewhere() {
  for (row &one : rows) one.value++;
}

static void sum(benchmark::State &state) {
  const long lines = state.range(0);
  warm_up_elsewhere();
  for (auto _ : dprof::iterations(state)) {
    long all = 0;
    for (long i = 0; i < lines; i++) all += rows[i].value;
    benchmark::DoNotOptimize(all);
  }
  warm_up_elsewhere();
}
BENCHMARK(sum)->Arg(4)->Arg(1024);

BENCHMARK_MAIN();
