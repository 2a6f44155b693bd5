// Stage: runtime, in programs linked with -static. Names -> real functions, as dlsym gives them elsewhere: the linker's
// --wrap=NAME sends the program's calls of NAME to ours and lets us call its own, or the C library's, __real_NAME.
#include "static_real.h"

#include "real.h"

namespace dprof::c_library {

#define DPROF_DECLARE_REAL(name) extern decltype(::name) real_##name __asm__("__real_" #name);
DPROF_COMMON_FUNCTIONS(DPROF_DECLARE_REAL, DPROF_DECLARE_REAL)
#ifndef DPROF_MUSL
DPROF_GLIBC_FUNCTIONS(DPROF_DECLARE_REAL, DPROF_DECLARE_REAL)
extern void real_longjmp_chk(jmp_buf, int) __asm__("__real___longjmp_chk");
#endif

#define DPROF_NAME_REAL(name) {#name, (void *)real_##name},
static const NamedFunction functions[] = {
    DPROF_COMMON_FUNCTIONS(DPROF_NAME_REAL, DPROF_NAME_REAL)
#ifndef DPROF_MUSL
        DPROF_GLIBC_FUNCTIONS(DPROF_NAME_REAL, DPROF_NAME_REAL){"__longjmp_chk", (void *)real_longjmp_chk},
#endif
};

} // namespace dprof::c_library

extern "C" __attribute__((visibility("hidden"))) void *__dprof_find_real(void *, const char *name) {
  return dprof::find_named(dprof::c_library::functions, name);
}

extern "C" __attribute__((visibility("hidden"))) void *__dprof_find_real_version(void *, const char *name,
                                                                                 const char *) {
  return dprof::find_named(dprof::c_library::functions, name);
}
