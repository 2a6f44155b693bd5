// Stage: runtime, in programs linked with -static. A table of functions by name.
#pragma once

#include <stddef.h>

namespace dprof {

struct NamedFunction {
  const char *name;
  void *function;
};

template <size_t count> void *find_named(const NamedFunction (&functions)[count], const char *name) {
  for (const NamedFunction &entry : functions) {
    size_t i = 0;
    while (name[i] && name[i] == entry.name[i]) i++;
    if (name[i] == entry.name[i]) return entry.function;
  }
  return nullptr;
}

} // namespace dprof
