// Stage: recorder. Which loop is for the processor that this runs on.
#include "path_loop.h"

namespace dprof {

const PathLoops &path_loops() {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  static const bool wider = wide && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
                            __builtin_cpu_supports("avx512vbmi2");
  if (wider) return path_loops_avx512;
  if (wide) return path_loops_avx2;
#endif
  return path_loops_plain;
}

} // namespace dprof
