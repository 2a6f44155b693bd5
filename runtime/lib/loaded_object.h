// Stage: runtime. Which part of a loaded object an address lies in, for what dl_iterate_phdr calls.
#pragma once

#include <link.h>
#include <stdint.h>

namespace dprof {

// Null: the address lies in another object, or in none.
inline const ElfW(Phdr) * segment_around(const dl_phdr_info &object, uintptr_t address) {
  for (unsigned i = 0; i < object.dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz) return &segment;
  }
  return nullptr;
}

} // namespace dprof
