// Stage: runtime. What dl_iterate_phdr tells of a loaded object: which part of it an address lies in, and its build id.
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

// Of its file, as the memory has it: another file may have its name by now.
struct BuildId {
  const uint8_t *bytes;
  uint32_t count; // 0: it has none
};

inline BuildId build_id_of(const dl_phdr_info &object) {
  for (unsigned i = 0; i < object.dlpi_phnum; i++) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    const uint8_t *notes = (const uint8_t *)(object.dlpi_addr + part.p_vaddr);
    if (part.p_type != PT_NOTE || !part.p_memsz) continue;
    const ElfW(Phdr) *loaded = segment_around(object, (uintptr_t)notes);
    if (!loaded || !(loaded->p_flags & PF_R) || segment_around(object, (uintptr_t)notes + part.p_memsz - 1) != loaded)
      continue;
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= part.p_memsz;) {
      const ElfW(Nhdr) &note = *(const ElfW(Nhdr) *)(notes + at);
      const size_t name = at + sizeof note, id = name + ((note.n_namesz + size_t{3}) & ~size_t{3});
      if (id + note.n_descsz > part.p_memsz) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && *(const uint32_t *)(notes + name) == 0x554e47)
        return {notes + id, note.n_descsz}; // "GNU"
      at = id + ((note.n_descsz + size_t{3}) & ~size_t{3});
    }
  }
  return {};
}

} // namespace dprof
