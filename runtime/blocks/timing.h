// Stage: blocks. Clock units of timings and of chains of additions -> cycles.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>
#include <vector>

#include "shared_window.h"

namespace dprof {

constexpr size_t timings = 16, least_clean = 8;

constexpr unsigned turns_of(unsigned kind) {
  return kind == KIND_EMPTY || kind == KIND_PROBE ? SHORT_CHAIN_TURNS : CHAIN_TURNS;
}

// Of one kind.
struct Series {
  std::vector<double> clean; // in cycles, ascending
  double mean = 0;           // of the clean ones: finer than the clock's step
  double chain = 0;          // clock units of an addition, over its timings
  const char *problem = "";  // "calibration": too few between chains that agree; "timings-disagree"
};

// Clock units of a chain's own two readings, from chains of two lengths.
double read_overhead(const SharedWindow &window);

// Whether all chains of an attempt took as long, not only those beside a timing.
bool keep_pace(std::initializer_list<const Series *> all);

// The timings of that kind in the desk.
Series read_series(const SharedWindow &window, unsigned kind, double overhead);

} // namespace dprof
