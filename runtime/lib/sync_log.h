// Stage: runtime. One synchronising operation -> its RELEASE before it, its ACQUIRE after it; nothing while dormant.
#pragma once

#include <errno.h>
#include <pthread.h>

#include "interpose.h"
#include "musl.h"
#include "openmp_runtime.h"

namespace dprof {

inline bool got_it(int result) { return result == 0 || result == EOWNERDEAD; }

// In each of these the return address is that of the interposed function, into which they are inlined.
#define DPROF_INLINE inline __attribute__((always_inline))
#define DPROF_LOGS_CALL (can_log() && !is_openmp_code(__builtin_return_address(0)))

template <typename Take> DPROF_INLINE int acquiring(dprof_sync kind, const volatile void *object, Take take) {
  int result = take();
  if (__builtin_expect(DPROF_LOGS_CALL, 0) && got_it(result)) {
    ErrnoKept kept;
    log_acquire(kind, (uintptr_t)object);
  }
  return result;
}

// One that returns with the object, whatever it waits for.
template <typename Take> DPROF_INLINE int acquiring_at_last(dprof_sync kind, const volatile void *object, Take take) {
  if (__builtin_expect(!DPROF_LOGS_CALL, 1)) return take();
  Awaited acquired(DPROF_EVENT_ACQUIRE, kind, (uintptr_t)object);
  int result = acquiring(kind, object, take);
  acquired.happened();
  return result;
}

template <typename Give> DPROF_INLINE int releasing(dprof_sync kind, const volatile void *object, Give give) {
  if (__builtin_expect(DPROF_LOGS_CALL, 0)) {
    ErrnoKept kept;
    log_release(kind, (uintptr_t)object);
  }
  return give();
}

// A wait that is cancelled has the mutex again before anybody cleans up.
inline void log_mutex_of_cancelled_wait(void *mutex) {
  if (can_log()) log_acquire(DPROF_SYNC_MUTEX, (uintptr_t)mutex);
}

// Logs an unlock before the wait; after it a lock, then the condition's signal.
template <typename Wait>
DPROF_INLINE int waiting(const volatile void *condition, const volatile void *mutex, Wait wait) {
  if (__builtin_expect(!DPROF_LOGS_CALL, 1)) return wait();
  {
    ErrnoKept kept;
    log_release(DPROF_SYNC_MUTEX, (uintptr_t)mutex);
  }
  Awaited acquired(DPROF_EVENT_ACQUIRE, DPROF_SYNC_MUTEX, (uintptr_t)mutex);
  int result;
#ifdef DPROF_MUSL
  CancelledWait cancelled(log_mutex_of_cancelled_wait, (void *)mutex);
  result = wait();
  cancelled.did_not_happen();
#else
  pthread_cleanup_push(log_mutex_of_cancelled_wait, (void *)mutex);
  result = wait();
  pthread_cleanup_pop(0);
#endif
  ErrnoKept kept;
  if (got_it(result) || result == ETIMEDOUT) log_acquire(DPROF_SYNC_MUTEX, (uintptr_t)mutex);
  acquired.happened();
  if (got_it(result)) log_acquire(DPROF_SYNC_CONDITION, (uintptr_t)condition);
  return result;
}

#undef DPROF_LOGS_CALL
#undef DPROF_INLINE

} // namespace dprof
