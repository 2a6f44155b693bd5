// Stage: sampler. Two ordered maps; the entries of a thread go with it.
#include "threads_of_program.h"

namespace dprof {
namespace {

template <typename Blocks> auto find_in(const Blocks &blocks, uint64_t address) {
  auto behind = blocks.upper_bound(address);
  if (behind == blocks.begin() || address >= (--behind)->second.end) return blocks.end();
  return behind;
}

} // namespace

void ThreadsOfProgram::apply(const HeapEvent &event, uint64_t module_address) {
  const Block block = {event.address + event.bytes, module_address, event.thread};
  switch (event.kind) {
    case DPROF_SAMPLER_THREAD:
      seen_.insert(event.thread);
      if (event.bytes) stacks_.insert_or_assign(event.address, block);
      return;
    case DPROF_SAMPLER_LOCALS: locals_.insert_or_assign(event.address, block); return;
    case DPROF_SAMPLER_END_THREAD:
      for (auto *blocks : {&stacks_, &locals_})
        std::erase_if(*blocks, [&](const auto &entry) { return entry.second.thread == event.thread; });
      return;
    default: return;
  }
}

bool ThreadsOfProgram::is_stack(uint64_t address) const { return find_in(stacks_, address) != stacks_.end(); }

bool ThreadsOfProgram::find_local(uint64_t address, Local *local) const {
  auto found = find_in(locals_, address);
  if (found == locals_.end()) return false;
  *local = {found->second.module_address, address - found->first};
  return true;
}

void ThreadsOfProgram::clear() {
  stacks_.clear();
  locals_.clear();
}

} // namespace dprof
