// Stage: runtime. An address in the program's OpenMP runtime -> the code around it.
#include "openmp_runtime.h"

#include "loaded_object.h"

namespace dprof {

uintptr_t openmp_code_begin = 0, openmp_code_end = 0;

bool find_openmp_code(uintptr_t code) {
  auto visit = [](dl_phdr_info *object, size_t, void *wanted) {
    const auto *part = segment_around(*object, *(uintptr_t *)wanted);
    if (!part) return 0;
    uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    openmp_code_end = openmp_code_begin = begin;
    openmp_code_end = begin + part->p_memsz;
    return 1;
  };
  return dl_iterate_phdr(visit, &code) != 0;
}

} // namespace dprof
