// Stage: sampler. One line of text for each mapping.
#include "mapped_ranges.h"

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <fstream>

namespace dprof {

bool MappedRanges::read(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  std::vector<MappedRange> ranges;
  for (std::string line; std::getline(file, line);) {
    unsigned long long begin, end, inode;
    char rights[5];
    int name_at = 0;
    if (sscanf(line.c_str(), "%llx-%llx %4s %*x %*s %llu %n", &begin, &end, rights, &inode, &name_at) < 4) continue;
    ranges.push_back({begin, end, rights[2] == 'x', inode != 0, name_at ? line.substr((size_t)name_at) : ""});
  }
  if (ranges.empty()) return false;
  bool has_moved = false;
  for (const MappedRange &range : ranges_) {
    if (!range.is_executable || !range.is_file) continue;
    auto same = std::find_if(ranges.begin(), ranges.end(), [&](const MappedRange &now) {
      return now.begin == range.begin && now.is_executable && now.is_file;
    });
    has_moved |= same != ranges.end() && same->name != range.name;
  }
  ranges_ = std::move(ranges);
  return has_moved;
}

const MappedRange *MappedRanges::find(uint64_t address) const {
  auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                 [](uint64_t at, const MappedRange &range) { return at < range.begin; });
  return behind == ranges_.begin() || address >= (--behind)->end ? nullptr : &*behind;
}

} // namespace dprof
