// Stage: trace -> placing. A window is judged when it is full.
#include "placing/miss_windows.h"

#include <algorithm>

namespace dprof {

void MissWindows::miss(uint32_t row, uint32_t slot, uint32_t thread, uint64_t line, uint32_t block) {
  std::vector<Miss> &misses = open_[row][uint64_t{slot} << 32 | thread];
  misses.push_back({static_cast<uint32_t>(line % request_.sets), block});
  if (misses.size() < request_.window) return;
  judge(counts_[row], misses);
  misses.clear();
}

/// The set with most of them; of equals, the lower one.
void MissWindows::judge(CacheperfCounts &counts, std::vector<Miss> &misses) const {
  std::sort(misses.begin(), misses.end(), [](const Miss &a, const Miss &b) { return a.set < b.set; });
  auto crowd = misses.begin(), crowdEnd = crowd;
  for (auto begin = misses.begin(); begin != misses.end();) {
    const auto end = std::find_if(begin, misses.end(), [&](const Miss &miss) { return miss.set != begin->set; });
    if (end - begin > crowdEnd - crowd) crowd = begin, crowdEnd = end;
    begin = end;
  }
  counts.windows++;
  if (crowdEnd - crowd < request_.crowd) return;
  counts.conflicts++;
  uint32_t first = NO_INDEX;
  const bool isAcross = std::any_of(crowd, crowdEnd, [&](const Miss &miss) {
    if (first == NO_INDEX) first = miss.block;
    return miss.block != NO_INDEX && miss.block != first;
  });
  counts.conflictsAcross += isAcross;
}

} // namespace dprof
