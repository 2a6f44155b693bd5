// Stage: replay, while the program runs. What a replay of a live trace does beside the replay: it can stop and go on, and it tells how far it is.
#include "replay.h"

#include <algorithm>
#include <unordered_map>

#include "live_source.h"
#include "reference_stream.h"

namespace dprof {

void Replay::runLive() {
  if (!alone_) objects.createGlobals();
  runAlone(0);
}

Snapshot Replay::snapshot() {
  for (uint32_t slot = 0; slot < slots_.size(); slot++) flushHits(slot); // rows only grow: nothing of the end is decided by that
  Snapshot copy{tallies, {}};
  copy.objects = objects.columnsAt(totals.time, Settler{copy.tallies, plans.slots, input.types.nameRank.data});
  return copy;
}

void Replay::reportTopTypes() {
  constexpr uint64_t EVERY = 1 << 22; // slots: several times a second
  constexpr unsigned L1_LOADS = FIRST_LEVEL, L1_STORES = FIRST_LEVEL + 1;
  if (!input.topTypes || totals.slots < nextTop_) return;
  nextTop_ = totals.slots + EVERY;
  std::unordered_map<int64_t, double> misses;
  for (size_t row = 0; row < tallies.size(); row++) {
    const TallyKey &key = tallies.key(row);
    double counters[COUNTERS];
    tallies.counters(row, counters);
    double of = counters[L1_LOADS] + counters[L1_STORES];
    if (of == 0 || key.rule == UNTYPED) continue;
    bool bySlot = key.rule == BY_DESCRIPTOR || key.rule == BY_VARIABLE || key.rule == BY_SCALAR;
    int64_t type = key.rule == BY_SITE ? -1 - int64_t{key.type} : bySlot ? plans.slots[key.slot].type : key.type;
    misses[type] += of;
  }
  std::vector<std::pair<double, int64_t>> order;
  for (auto [type, of] : misses) order.push_back({-of, type});
  size_t most = std::min(order.size(), input.topTypeCount);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
  for (size_t i = 0; i < input.topTypeCount; i++) {
    input.topTypes[2 * i] = i < most ? static_cast<double>(order[i].second) : 0;
    input.topTypes[2 * i + 1] = i < most ? -order[i].first : 0;
  }
}

} // namespace dprof
