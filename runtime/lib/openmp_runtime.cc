// Stage: runtime. An address in the program's OpenMP runtime -> the code around it.
#include "openmp_runtime.h"

#include <link.h>

namespace dprof {

uintptr_t openmp_code_begin = 0, openmp_code_end = 0;

bool find_openmp_code(uintptr_t code) {
  auto visit = [](dl_phdr_info *object, size_t, void *wanted) {
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
      const auto &part = object->dlpi_phdr[i];
      uintptr_t begin = object->dlpi_addr + part.p_vaddr;
      if (part.p_type != PT_LOAD || *(uintptr_t *)wanted - begin >= part.p_memsz) continue;
      openmp_code_end = openmp_code_begin = begin;
      openmp_code_end = begin + part.p_memsz;
      return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(visit, &code) != 0;
}

} // namespace dprof
