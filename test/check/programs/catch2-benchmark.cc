// The same sums by Catch2.
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <dprof/catch2.h>

struct alignas(64) row {
  volatile long value;
};

static row rows[1024];

__attribute__((noinline)) static long sum(long lines) {
  long all = 0;
  for (long i = 0; i < lines; i++) all += rows[i].value;
  return all;
}

TEST_CASE("4") {
  DPROF_BENCHMARK("sum") { return sum(4); };
}

TEST_CASE("1024") {
  DPROF_BENCHMARK("sum") { return sum(1024); };
}

TEST_CASE("meter") {
  BENCHMARK_ADVANCED("sum")(Catch::Benchmark::Chronometer meter) {
    dprof::measure(meter, [] { return sum(1024); });
  };
}

TEST_CASE("nothing") {
  DPROF_BENCHMARK("of no value") { (void)sum(1024); };
}
