// Stage: blocks. A timing is thrown away if the chains before and behind it differ by more than 1 %; the rest is clean
// if at least half of all timings agree.
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dprof {
namespace {

constexpr double most_drift = 0.01;

// Values agree within a share of the least, or within a few cycles, as the clock's steps are. A block that waits for
// its stores takes a little more or less each time; then most timings must agree, since their mean counts.
struct Tolerance {
  double share, cycles;
  size_t least;
};
constexpr size_t another_pace = timings / 4;
constexpr Tolerance tight = {0.01, 8, least_clean}, wide = {0.04, 24, timings * 3 / 4};
constexpr size_t pairs_of_kind = timings + 1; // the first one has the chain alone

struct Pair {
  uint64_t block, chain;
};

Pair pair_at(const SharedWindow &window, size_t at) {
  const unsigned field = DESK_RESULTS + (unsigned)(at * sizeof(Pair));
  return {window.desk(field), window.desk(field + sizeof(uint64_t))};
}

double mean_of(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / (double)std::max<size_t>(values.size(), 1);
}

// The lowest run of values that agree and are enough, since interruptions only add; else the largest one. `is_low`:
// that there is no other pace below it, which a fourth of the timings keep: a processor has two for some blocks, and
// takes either each time.
struct Run {
  std::vector<double> values;
  bool is_low;
};

Run agreeing(const std::vector<double> &ascending, const Tolerance &tolerance) {
  size_t best = 0, most = 0, below = 0;
  for (size_t first = 0, end = 0; first < ascending.size() && most < tolerance.least; first++) {
    const double room = std::max(std::abs(ascending[first]) * tolerance.share, tolerance.cycles);
    while (end < ascending.size() && ascending[end] - ascending[first] <= room) end++;
    if (end - first <= most) continue;
    if (first >= best + most) below = std::max(below, most); // none of the earlier run is in it
    most = end - first;
    best = first;
  }
  const auto from = ascending.begin() + (ptrdiff_t)best;
  return {{from, from + (ptrdiff_t)most}, below < another_pace};
}

} // namespace

double read_overhead(const SharedWindow &window) {
  const auto mean_chain = [&](unsigned kind) {
    std::vector<double> chains;
    for (size_t timing = 1; timing <= timings; timing++)
      chains.push_back((double)pair_at(window, kind * pairs_of_kind + timing).chain);
    std::sort(chains.begin(), chains.end());
    return mean_of(agreeing(chains, tight).values);
  };
  constexpr double ratio = (double)CHAIN_TURNS / SHORT_CHAIN_TURNS;
  return (ratio * mean_chain(KIND_EMPTY) - mean_chain(KIND_FEWER)) / (ratio - 1);
}

bool keep_pace(std::initializer_list<const Series *> all) {
  double least = (*all.begin())->chain, most = least;
  for (const Series *series : all) {
    least = std::min(least, series->chain);
    most = std::max(most, series->chain);
  }
  return most <= least * (1 + most_drift);
}

Series read_series(const SharedWindow &window, unsigned kind, double overhead) {
  Series series;
  std::vector<double> all;
  const size_t first = kind * pairs_of_kind;
  for (size_t timing = 1; timing <= timings; timing++) {
    const Pair before = pair_at(window, first + timing - 1), here = pair_at(window, first + timing);
    const double low = (double)std::min(before.chain, here.chain) - overhead,
                 high = (double)std::max(before.chain, here.chain) - overhead;
    if (low <= 0 || high > low * (1 + most_drift)) continue;
    const double addition = (low + high) / 2 / ((double)turns_of(kind) * CHAIN_ADDITIONS);
    series.chain += addition;
    all.push_back((double)here.block / addition);
  }
  if (all.size() < least_clean) {
    series.problem = "calibration";
    return series;
  }
  series.chain /= (double)all.size();
  std::sort(all.begin(), all.end());
  series.problem = "timings-disagree";
  for (const Tolerance &tolerance : {tight, wide}) {
    Run run = agreeing(all, tolerance);
    series.clean = std::move(run.values);
    if (series.clean.size() < tolerance.least || !run.is_low) continue;
    series.problem = "";
    break;
  }
  series.mean = mean_of(series.clean);
  return series;
}

} // namespace dprof
