/* A benchmark of Catch2, counted per iteration by `dprof check` (iterations.h): BENCHMARK with a counted body.
 *
 *   TEST_CASE("table") {
 *     DPROF_BENCHMARK("lookup") { return find(table, key); };
 *   }
 *
 * With a Chronometer, declare a `dprof::iteration` in what is measured. The program includes Catch2's own header first
 * (version 2 with CATCH_CONFIG_ENABLE_BENCHMARKING).
 */
#ifndef DPROF_CATCH2_H
#define DPROF_CATCH2_H

#include "iterations.h"

#define DPROF_BENCHMARK(name)                                                                                          \
  if (Catch::Benchmark::Benchmark dprof_benchmark{name}) dprof_benchmark = dprof::counted_bodies()->*[&]()

namespace dprof {

template <class Body> struct counted_body {
  Body body;
  auto operator()() const {
    iteration counted;
    return body();
  }
};

struct counted_bodies {
  template <class Body> counted_body<Body> operator->*(Body body) const { return {body}; }
};

} // namespace dprof

#endif
