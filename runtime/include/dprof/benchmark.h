/* Google Benchmark's loop, counted per iteration by `dprof check` (iterations.h):
 *
 *   static void lookup(benchmark::State &state) {
 *     for (auto _ : dprof::iterations(state)) benchmark::DoNotOptimize(find(table, key));
 *   }
 *   BENCHMARK(lookup);
 *
 * Compiled by dprof-cc, the first loop of the process begins with the iterations that are recorded, in front of those
 * that the library asks for; so its times are not those of other builds. Otherwise it is the loop over `state` itself.
 */
#ifndef DPROF_BENCHMARK_H
#define DPROF_BENCHMARK_H

#include "iterations.h"
#include <benchmark/benchmark.h>

namespace dprof {

#ifdef __DPROF__

class iterations {
public:
  explicit iterations(benchmark::State &state) : state_(state) {}

  class iterator {
  public:
    iterator(benchmark::State::StateIterator inner, bool is_first) : inner_(inner), is_counting_(is_first) {
      if (is_counting_) iteration_counter::of_process().begin();
    }
    /* `inner` ends the timing as soon as it is compared with the end. */
    bool operator!=(const iterator &end) const { return is_counting_ || inner_ != end.inner_; }
    iterator &operator++() {
      if (!is_counting_) {
        ++inner_;
        return *this;
      }
      iteration_counter &counter = iteration_counter::of_process();
      counter.end();
      is_counting_ = counter.begun < iteration_counter::all();
      if (is_counting_) counter.begin();
      return *this;
    }
    auto operator*() const { return *inner_; }

  private:
    benchmark::State::StateIterator inner_;
    bool is_counting_;
  };

  iterator begin() { return {state_.begin(), iteration_counter::of_process().begun == 0}; }
  iterator end() { return {state_.end(), false}; }

private:
  benchmark::State &state_;
};

#else

inline benchmark::State &iterations(benchmark::State &state) { return state; }

#endif

} // namespace dprof
#endif
