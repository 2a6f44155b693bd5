// Stage: runtime, in C++ programs linked with -static. The C++ library's own operators new and delete by name; see
// static_real.cc.
#include "static_real.h"

// clang-format off
#define DPROF_OPERATORS(X) \
  X(_Znwm) X(_Znam) X(_ZnwmRKSt9nothrow_t) X(_ZnamRKSt9nothrow_t) X(_ZnwmSt11align_val_t) X(_ZnamSt11align_val_t) \
  X(_ZnwmSt11align_val_tRKSt9nothrow_t) X(_ZnamSt11align_val_tRKSt9nothrow_t) X(_ZdlPv) X(_ZdaPv) X(_ZdlPvm) \
  X(_ZdaPvm) X(_ZdlPvRKSt9nothrow_t) X(_ZdaPvRKSt9nothrow_t) X(_ZdlPvSt11align_val_t) X(_ZdaPvSt11align_val_t) \
  X(_ZdlPvmSt11align_val_t) X(_ZdaPvmSt11align_val_t)
// clang-format on

namespace dprof::cxx_library {

#define DPROF_DECLARE_REAL(name) extern void real##name() __asm__("__real_" #name);
DPROF_OPERATORS(DPROF_DECLARE_REAL)

#define DPROF_NAME_REAL(name) {#name, (void *)real##name},
static const NamedFunction operators[] = {DPROF_OPERATORS(DPROF_NAME_REAL)};

} // namespace dprof::cxx_library

extern "C" __attribute__((visibility("hidden"))) void *__dprof_find_real_operator(void *, const char *name) {
  return dprof::find_named(dprof::cxx_library::operators, name);
}
