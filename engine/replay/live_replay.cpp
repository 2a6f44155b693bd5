// Stage: replay, while the program runs. The reports of a replay of a live trace on its way.
#include "replay/replay.h"

#include <algorithm>
#include <unordered_map>

namespace dprof {

void Replay::reportTopTypes() {
  constexpr uint64_t EVERY = 1 << 22; // slots: several times a second
  CountStage &counts = machines[0]->counts;
  if (!input_.topTypes || counts.totals.slots < nextTop_) return;
  nextTop_ = counts.totals.slots + EVERY;
  counts.tallies.flush();
  const Tallies &tallies = counts.tallies;
  std::unordered_map<int64_t, double> misses;
  for (size_t row = 0; row < tallies.size(); row++) {
    const TallyKey &key = tallies.key(row);
    double counters[COUNTERS];
    tallies.counters(row, counters);
    double of = counters[counter::L1_MISS_LOADS] + counters[counter::L1_MISS_STORES];
    if (of == 0 || key.rule == UNTYPED) continue;
    bool bySlot = key.rule == BY_DESCRIPTOR || key.rule == BY_VARIABLE || key.rule == BY_SCALAR;
    int64_t type = key.rule == BY_SITE ? -1 - int64_t{key.type} : bySlot ? plans_.slots[key.slot].type : key.type;
    misses[type] += of;
  }
  std::vector<std::pair<double, int64_t>> order;
  for (auto [type, of] : misses) order.push_back({-of, type});
  size_t most = std::min(order.size(), input_.topTypeCount);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
  for (size_t i = 0; i < input_.topTypeCount; i++) {
    input_.topTypes[2 * i] = i < most ? static_cast<double>(order[i].second) : 0;
    input_.topTypes[2 * i + 1] = i < most ? -order[i].first : 0;
  }
}

} // namespace dprof
