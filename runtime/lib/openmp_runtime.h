// Stage: runtime. Where the code of the program's OpenMP runtime lies: the locks that it takes for itself are no
// events.
#pragma once

#include <stdint.h>

namespace dprof {

extern uintptr_t openmp_code_begin, openmp_code_end;
// `code` lies in the library; false: no library has it.
bool find_openmp_code(uintptr_t code);

// How often its threads sleep, and wake each other, is the recording machine's timing. What they wait for is logged by
// openmp_tool.cc.
static inline bool is_openmp_code(const void *caller) {
  return (uintptr_t)caller - openmp_code_begin < openmp_code_end - openmp_code_begin;
}

} // namespace dprof
