// Stage: program, preloaded. The functions that ours stand in front of.
#pragma once

#include <dlfcn.h>
#include <stdint.h>

#include "../../lib/system.h"

namespace dprof {

// Null while it is being looked for: then only the bootstrap is there.
template <typename Function> Function find(Function *cache, const char *name) {
  static __thread bool is_looking __attribute__((tls_model("initial-exec"))) = false;
  Function found = load(cache);
  if (__builtin_expect(found != nullptr, 1)) return found;
  if (is_looking) return nullptr;
  is_looking = true;
  store(cache, found = (Function)dlsym(RTLD_NEXT, name));
  is_looking = false;
  return found;
}

} // namespace dprof

#define FIND(name)                                                                                                     \
  static decltype(&::name) cache_of_##name;                                                                            \
  auto next = find(&cache_of_##name, #name)

// The address to which the function around this macro returns.
#define SITE ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))
