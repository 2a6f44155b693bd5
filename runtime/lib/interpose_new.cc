// Stage: runtime. operator new and delete, in front of the C++ library's or an allocator's own. If they end in malloc
// and free, only the outermost call is logged.
#include <dlfcn.h>

#include "interpose.h"

namespace dprof {
namespace {

using New = void *(*)(size_t, size_t, const void *);
using Delete = void (*)(void *, size_t, size_t);

// Only C++ code comes here, so the C++ library is there to be found.
template <typename Function> Function find_next(Function *cache, const char *name) {
  Function found = load(cache);
  if (!found) store(cache, found = (Function)dlsym(RTLD_NEXT, name));
  if (!found) __builtin_trap(); // a program with operator new and no C++ library at all
  return found;
}

// The arguments that a variant does not have are in registers that it does not look at.
void *allocate(New *cache, const char *name, size_t size, size_t second, const void *third) {
  New next = find_next(cache, name);
  if (__builtin_expect(!can_log(), 1)) return next(size, second, third);
  thread_log.flags |= THREAD_IN_NEW;
  void *p = next(size, second, third);
  if (!(thread_log.flags & THREAD_IN_NEW)) return p; // malloc logged it
  thread_log.flags &= ~THREAD_IN_NEW;
  if (p) {
    ErrnoKept kept;
    log_allocate(DPROF_ALLOCATOR_NEW, p, size);
  }
  return p;
}

void release(Delete *cache, const char *name, void *p, size_t second, size_t third) {
  Delete next = find_next(cache, name);
  if (__builtin_expect(!can_log(), 1) || !p || thread_log.announced == p) return next(p, second, third);
  {
    ErrnoKept kept;
    log_free(DPROF_ALLOCATOR_NEW, p, 0);
  }
  thread_log.announced = p;
  next(p, second, third);
  thread_log.announced = nullptr;
}

} // namespace
} // namespace dprof

#define DPROF_NEW(symbol)                                                                                              \
  DPROF_EXPORT void *symbol(size_t size, size_t second, const void *third) {                                           \
    static dprof::New next;                                                                                            \
    return dprof::allocate(&next, #symbol, size, second, third);                                                       \
  }
#define DPROF_DELETE(symbol)                                                                                           \
  DPROF_EXPORT void symbol(void *p, size_t second, size_t third) {                                                     \
    static dprof::Delete next;                                                                                         \
    dprof::release(&next, #symbol, p, second, third);                                                                  \
  }

DPROF_NEW(_Znwm)
DPROF_NEW(_Znam)
DPROF_NEW(_ZnwmRKSt9nothrow_t)
DPROF_NEW(_ZnamRKSt9nothrow_t)
DPROF_NEW(_ZnwmSt11align_val_t)
DPROF_NEW(_ZnamSt11align_val_t)
DPROF_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t)
DPROF_NEW(_ZnamSt11align_val_tRKSt9nothrow_t)
DPROF_DELETE(_ZdlPv)
DPROF_DELETE(_ZdaPv)
DPROF_DELETE(_ZdlPvm)
DPROF_DELETE(_ZdaPvm)
DPROF_DELETE(_ZdlPvRKSt9nothrow_t)
DPROF_DELETE(_ZdaPvRKSt9nothrow_t)
DPROF_DELETE(_ZdlPvSt11align_val_t)
DPROF_DELETE(_ZdaPvSt11align_val_t)
DPROF_DELETE(_ZdlPvmSt11align_val_t)
DPROF_DELETE(_ZdaPvmSt11align_val_t)
