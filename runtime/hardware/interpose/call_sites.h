// Stage: program, preloaded. Return addresses of allocation calls -> what the collector answered for them, each asked
// for once.
#pragma once

#include <stddef.h>

#include "dprof/call_sites.h"

namespace dprof {

constexpr uint32_t no_site = 0xffffffff;

// The entry of `address`; no_site if there is no room. Does not ask the collector.
uint32_t find_call_site(dprof_call_sites &sites, uintptr_t address);

struct KnownCall {
  uint32_t site = no_site; // the call that knows: of a wrapper its caller
  uint32_t type = no_type; // as answered, from 0
  // Offset from the allocation's result to the type's first byte: the sum over the calls up to the one that knows the
  // type.
  int64_t offset = 0;
  bool is_offset_known = true;
  bool is_array = false; // of the type, from there to the end
  static constexpr uint32_t no_type = 0xffffffff;
};
// Waits for answers. If the type is unknown, `site` is that of `address` itself.
KnownCall know_call(dprof_call_sites &sites, uintptr_t address, size_t bytes);

// The library's: asks the collector for an entry, and returns when it is answered (or nobody will).
void ask_for_site(uint32_t site, size_t bytes);

} // namespace dprof
