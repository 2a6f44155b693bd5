// Stage: program, preloaded. An open hash table without locks, and a walk up the stack out of wrappers.
#include "call_sites.h"

#include <unwind.h>

#include "../../lib/system.h"
#include "sink.h"

namespace dprof {
namespace {

constexpr int most_probes = 64, most_wrappers = 8;

uint32_t ask(dprof_call_sites &sites, uintptr_t address, size_t bytes) {
  const uint32_t at = find_call_site(sites, address);
  if (at == no_site) return at;
  uint32_t *answer = &sites.entries[at].answer;
  if (load(answer) == DPROF_SITE_NEW && swap_if<uint32_t>(answer, DPROF_SITE_NEW, DPROF_SITE_ASKED))
    ask_for_site(at, bytes);
  while (load(answer) == DPROF_SITE_ASKED && listening) futex_wait(answer, DPROF_SITE_ASKED, 20);
  return at;
}

struct Walk {
  uintptr_t inner;
  uintptr_t outer;
  bool is_found;
};

_Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  Walk *walk = (Walk *)data;
  uintptr_t address = _Unwind_GetIP(context);
  if (walk->is_found) {
    walk->outer = address;
    return _URC_END_OF_STACK;
  }
  walk->is_found = address == walk->inner;
  return _URC_NO_REASON;
}

// The address to which the function around the call at `site` returns; 0 if unknown.
uintptr_t caller_of(uintptr_t site) {
  Walk walk = {site, 0, false};
  _Unwind_Backtrace(step, &walk);
  return walk.outer;
}

} // namespace

uint32_t find_call_site(dprof_call_sites &sites, uintptr_t address) {
  uint32_t at = (uint32_t)((uint64_t)address * 0x9e3779b97f4a7c15 >> 48) % DPROF_CALL_SITES;
  for (int probe = 0; probe < most_probes; probe++, at = (at + 1) % DPROF_CALL_SITES) {
    uint64_t *entry = &sites.entries[at].address, found = load(entry);
    if (found == address) return at;
    if (found == 0 && swap_if<uint64_t>(entry, 0, address)) {
      fetch_add(&sites.used, 1u);
      return at;
    }
    if (load(entry) == address) return at;
  }
  fetch_add(&sites.refused, 1u);
  return no_site;
}

KnownCall know_call(dprof_call_sites &sites, uintptr_t address, size_t bytes) {
  KnownCall known;
  uint32_t first = no_site;
  for (int depth = 0; address && depth <= most_wrappers; depth++) {
    const uint32_t at = ask(sites, address, bytes);
    if (at == no_site) break;
    if (depth == 0) first = at;
    const dprof_call_site &site = sites.entries[at];
    const uint32_t answer = load(&site.answer);
    if (answer < DPROF_SITE_FIRST_TYPE && answer != DPROF_SITE_WRAPPER) break;
    const int32_t offset = load(&site.offset);
    known.is_offset_known &= offset != DPROF_SITE_OFFSET_UNKNOWN;
    if (known.is_offset_known) known.offset += offset;
    if (answer >= DPROF_SITE_FIRST_TYPE) {
      known.site = at;
      known.type = answer - DPROF_SITE_FIRST_TYPE;
      known.is_array = load(&site.is_array);
      return known;
    }
    address = caller_of(address);
  }
  known.site = first;
  return known;
}

} // namespace dprof
