// Stage: sampler. /proc/PID/maps -> the kind of memory at an address.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace dprof {

struct MappedRange {
  uint64_t begin, end;
  bool is_executable, is_file;
  std::string name; // a file, [stack], or empty
};

class MappedRanges {
public:
  // Returns whether a file is at other addresses than before. If the process is gone, the known ranges stay.
  bool read(pid_t process);
  const MappedRange *find(uint64_t address) const;

private:
  std::vector<MappedRange> ranges_; // ascending
};

} // namespace dprof
