// Stage: runtime. Waiting for a thread's end -> ACQUIRE of THREAD_JOIN.
#include "interpose.h"
#include "real.h"
#include "thread_numbers.h"

using namespace dprof;

namespace {

template <typename Join> int join(pthread_t thread, Join really_join) {
  if (__builtin_expect(!can_log(), 1)) return really_join();
  uint32_t number = number_of(thread);
  if (number == no_number) return really_join();
  Awaited acquired(DPROF_EVENT_ACQUIRE, DPROF_SYNC_THREAD_JOIN, number);
  int error = really_join();
  ErrnoKept kept;
  if (!error) log_acquire(DPROF_SYNC_THREAD_JOIN, number);
  acquired.happened();
  return error;
}

} // namespace

DPROF_EXPORT int pthread_join(pthread_t thread, void **result) {
  return join(thread, [&] { return real().pthread_join(thread, result); });
}
DPROF_EXPORT int pthread_tryjoin_np(pthread_t thread, void **result) noexcept {
  return join(thread, [&] { return real().pthread_tryjoin_np(thread, result); });
}
DPROF_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const timespec *until) {
  return join(thread, [&] { return real().pthread_timedjoin_np(thread, result, until); });
}
#ifndef DPROF_MUSL
DPROF_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const timespec *until) {
  return join(thread, [&] { return real().pthread_clockjoin_np(thread, result, clock, until); });
}
#endif
DPROF_EXPORT int thrd_join(thrd_t thread, int *result) {
  return join(thread, [&] { return real().thrd_join(thread, result); });
}
