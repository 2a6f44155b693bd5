// Stage: recorder. Units of modules -> the trace of this recording that has them already. Processes of one program have
// the same units: one trace stores them, and those of the other processes point to it.
#pragma once

#include <stdint.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dprof {

struct ModuleHome {
  std::string file; // in the folder of all traces
  uint64_t start_time_ns;
  uint32_t pid, module;
  std::shared_ptr<const bool> stays; // the trace will not be removed
};

class ModuleHomes {
public:
  struct Units {
    std::shared_ptr<const uint8_t> bytes;
    size_t size;
    uint32_t checksum;
    std::vector<ModuleHome> homes;

    // Null: no other trace than the one that `own` is of is sure to stay.
    const ModuleHome *home(const std::shared_ptr<bool> &own) const;
  };
  // Equal units are one: what the answer has of them is to be used. The answer lives as long as this.
  Units &find(std::shared_ptr<const uint8_t> bytes, size_t size);
  // To be held while any of this is in use: several images may have met new modules.
  std::mutex in_use;

private:
  std::vector<std::unique_ptr<Units>> known_;
};

} // namespace dprof
