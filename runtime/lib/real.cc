// Stage: runtime. Names -> real functions, once, at the first need.
#include "real.h"

#include <dlfcn.h>

namespace dprof {

RealFunctions real_functions = {};
bool real_functions_found = false;

namespace {
#if defined(__x86_64__)
void *find_second_version(const char *name) { return dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2"); }
#else
void *find_second_version(const char *name) { return dlsym(RTLD_NEXT, name); }
#endif
} // namespace

void resolve_real_functions() {
  static bool running = false;
  if (running || real_functions_found) return;
  running = true;
#define DPROF_FIND(name) real_functions.name = (decltype(real_functions.name))dlsym(RTLD_NEXT, #name);
#define DPROF_FIND_SECOND(name) real_functions.name = (decltype(real_functions.name))find_second_version(#name);
  DPROF_REAL_FUNCTIONS(DPROF_FIND, DPROF_FIND_SECOND)
  real_functions.longjmp_chk = (decltype(real_functions.longjmp_chk))dlsym(RTLD_NEXT, "__longjmp_chk");
  real_functions_found = true;
}

} // namespace dprof
