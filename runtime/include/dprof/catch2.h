/* A benchmark of Catch2, counted per iteration by `dprof check` (iterations.h): BENCHMARK with another name.
 *
 *   TEST_CASE("table") {
 *     DPROF_BENCHMARK("lookup") { return find(table, key); };
 *   }
 *
 * With a Chronometer, `dprof::measure(meter, body)` stands for `meter.measure(body)`. The program includes Catch2's own
 * header first (version 2 with CATCH_CONFIG_ENABLE_BENCHMARKING).
 *
 * Compiled by dprof-cc, the first body runs as often as iterations.h says before the library looks at the clock.
 */
#ifndef DPROF_CATCH2_H
#define DPROF_CATCH2_H

#include "iterations.h"
#include <type_traits>

#define DPROF_BENCHMARK(name)                                                                                          \
  if (Catch::Benchmark::Benchmark dprof_benchmark{name}) dprof_benchmark = dprof::counted_bodies()->*[&]()

namespace dprof {

#ifdef __DPROF__

template <class Body> void run_body(Body &body, std::true_type) { body(); }
template <class Body> void run_body(Body &body, std::false_type) {
  auto result = body();
  asm volatile("" : : "g"(&result) : "memory"); /* somebody may look at it */
}

/* Does nothing but for the first body of the process. */
template <class Body> void count_iterations(Body &body) {
  const iteration_counter &counter = iteration_counter::of_process();
  if (counter.begun > 0) return;
  while (counter.begun < iteration_counter::all()) {
    iteration counted;
    run_body(body, std::is_void<decltype(body())>());
  }
}

#else

template <class Body> void count_iterations(Body &) {}

#endif

struct counted_bodies {
  template <class Body> Body operator->*(Body body) const {
    count_iterations(body);
    return body;
  }
};

template <class Meter, class Body> void measure(Meter &meter, Body body) {
  count_iterations(body);
  meter.measure(body);
}

} // namespace dprof
#endif
