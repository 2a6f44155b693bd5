// Stage: runtime. C11's locks and conditions, and pthread_once: glibc's do not go through the pthread functions that we
// stand in front of.
#include "real.h"
#include "sync_log.h"

using namespace dprof;

DPROF_EXPORT int mtx_lock(mtx_t *mutex) {
  return acquiring(DPROF_SYNC_MUTEX, mutex, [&] { return real().mtx_lock(mutex); });
}
DPROF_EXPORT int mtx_trylock(mtx_t *mutex) {
  return acquiring(DPROF_SYNC_MUTEX, mutex, [&] { return real().mtx_trylock(mutex); });
}
DPROF_EXPORT int mtx_timedlock(mtx_t *__restrict mutex, const timespec *__restrict until) {
  return acquiring(DPROF_SYNC_MUTEX, mutex, [&] { return real().mtx_timedlock(mutex, until); });
}
DPROF_EXPORT int mtx_unlock(mtx_t *mutex) {
  return releasing(DPROF_SYNC_MUTEX, mutex, [&] { return real().mtx_unlock(mutex); });
}

DPROF_EXPORT int cnd_signal(cnd_t *condition) {
  return releasing(DPROF_SYNC_CONDITION, condition, [&] { return real().cnd_signal(condition); });
}
DPROF_EXPORT int cnd_broadcast(cnd_t *condition) {
  return releasing(DPROF_SYNC_CONDITION, condition, [&] { return real().cnd_broadcast(condition); });
}
// C11 answers thrd_timedout where pthreads answer ETIMEDOUT; the mutex is held again after either.
DPROF_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return waiting(condition, mutex, [&] { return real().cnd_wait(condition, mutex); });
}
DPROF_EXPORT int cnd_timedwait(cnd_t *__restrict condition, mtx_t *__restrict mutex, const timespec *__restrict until) {
  int answer = thrd_success;
  waiting(condition, mutex, [&] {
    answer = real().cnd_timedwait(condition, mutex, until);
    return answer == thrd_timedout ? ETIMEDOUT : answer;
  });
  return answer;
}

namespace {

// The routine takes no argument, so its data lies here while it runs. Routines may call pthread_once themselves.
struct Once {
  void *control;
  void (*routine)();
  Once *outer;
};
__thread Once *once_now;

void run_once() {
  Once *now = once_now;
  now->routine();
  if (can_log()) log_release(DPROF_SYNC_ONCE, (uintptr_t)now->control);
}

// The routine may leave by an exception.
struct OnceScope {
  Once now;
  OnceScope(void *control, void (*routine)()) : now{control, routine, once_now} { once_now = &now; }
  ~OnceScope() { once_now = now.outer; }
};

} // namespace

DPROF_EXPORT int pthread_once(pthread_once_t *control, void (*routine)()) {
  if (__builtin_expect(!can_log(), 1)) return real().pthread_once(control, routine);
  OnceScope scope((void *)control, routine);
  int result = real().pthread_once(control, run_once);
  ErrnoKept kept;
  if (!result) log_acquire(DPROF_SYNC_ONCE, (uintptr_t)control);
  return result;
}
DPROF_EXPORT void call_once(once_flag *flag, void (*routine)()) {
  if (__builtin_expect(!can_log(), 1)) return real().call_once(flag, routine);
  OnceScope scope((void *)flag, routine);
  real().call_once(flag, run_once);
  ErrnoKept kept;
  log_acquire(DPROF_SYNC_ONCE, (uintptr_t)flag);
}
