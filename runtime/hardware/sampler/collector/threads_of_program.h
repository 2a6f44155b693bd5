// Stage: sampler. Threads as they announce themselves -> the thread whose stack or thread-local variables an address
// lies in.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <set>

#include "event_log.h"

namespace dprof {

class ThreadsOfProgram {
public:
  void apply(const HeapEvent &event, uint64_t module_address);
  bool is_stack(uint64_t address) const;
  struct Local {
    uint64_t module_address; // any address of the module
    uint64_t offset;         // in the thread's block of it
  };
  // False: none is there.
  bool find_local(uint64_t address, Local *local) const;
  void note(uint32_t thread) { seen_.insert(thread); }
  size_t seen() const { return seen_.size(); }
  void clear();

private:
  struct Block {
    uint64_t end, module_address;
    uint32_t thread;
  };
  std::map<uint64_t, Block> stacks_, locals_; // by where they begin
  std::set<uint32_t> seen_;
};

} // namespace dprof
