// Stage: runtime. Locks, conditions, barriers, semaphores -> RELEASE before the operation, ACQUIRE after it.
#include "barriers.h"
#include "real.h"
#include "sync_log.h"

using namespace dprof;

#define DPROF_ACQUIRING(kind, name, object, parameters, arguments)                                                     \
  DPROF_EXPORT int name parameters noexcept {                                                                          \
    return acquiring(kind, object, [&] { return real().name arguments; });                                             \
  }
#define DPROF_WAITING_FOR(kind, name, object, parameters, arguments)                                                   \
  DPROF_EXPORT int name parameters noexcept {                                                                          \
    return acquiring_at_last(kind, object, [&] { return real().name arguments; });                                     \
  }
#define DPROF_RELEASING(kind, name, object, parameters, arguments)                                                     \
  DPROF_EXPORT int name parameters noexcept {                                                                          \
    return releasing(kind, object, [&] { return real().name arguments; });                                             \
  }

DPROF_WAITING_FOR(DPROF_SYNC_MUTEX, pthread_mutex_lock, mutex, (pthread_mutex_t * mutex), (mutex))
DPROF_ACQUIRING(DPROF_SYNC_MUTEX, pthread_mutex_trylock, mutex, (pthread_mutex_t * mutex), (mutex))
DPROF_ACQUIRING(DPROF_SYNC_MUTEX, pthread_mutex_timedlock, mutex, (pthread_mutex_t * mutex, const timespec *until),
                (mutex, until))
DPROF_ACQUIRING(DPROF_SYNC_MUTEX, pthread_mutex_clocklock, mutex,
                (pthread_mutex_t * mutex, clockid_t clock, const timespec *until), (mutex, clock, until))
DPROF_RELEASING(DPROF_SYNC_MUTEX, pthread_mutex_unlock, mutex, (pthread_mutex_t * mutex), (mutex))

DPROF_WAITING_FOR(DPROF_SYNC_RWLOCK, pthread_rwlock_rdlock, lock, (pthread_rwlock_t * lock), (lock))
DPROF_ACQUIRING(DPROF_SYNC_RWLOCK, pthread_rwlock_tryrdlock, lock, (pthread_rwlock_t * lock), (lock))
DPROF_ACQUIRING(DPROF_SYNC_RWLOCK, pthread_rwlock_timedrdlock, lock, (pthread_rwlock_t * lock, const timespec *until),
                (lock, until))
DPROF_ACQUIRING(DPROF_SYNC_RWLOCK, pthread_rwlock_clockrdlock, lock,
                (pthread_rwlock_t * lock, clockid_t clock, const timespec *until), (lock, clock, until))
DPROF_WAITING_FOR(DPROF_SYNC_RWLOCK, pthread_rwlock_wrlock, lock, (pthread_rwlock_t * lock), (lock))
DPROF_ACQUIRING(DPROF_SYNC_RWLOCK, pthread_rwlock_trywrlock, lock, (pthread_rwlock_t * lock), (lock))
DPROF_ACQUIRING(DPROF_SYNC_RWLOCK, pthread_rwlock_timedwrlock, lock, (pthread_rwlock_t * lock, const timespec *until),
                (lock, until))
DPROF_ACQUIRING(DPROF_SYNC_RWLOCK, pthread_rwlock_clockwrlock, lock,
                (pthread_rwlock_t * lock, clockid_t clock, const timespec *until), (lock, clock, until))
DPROF_RELEASING(DPROF_SYNC_RWLOCK, pthread_rwlock_unlock, lock, (pthread_rwlock_t * lock), (lock))

DPROF_ACQUIRING(DPROF_SYNC_SPINLOCK, pthread_spin_lock, lock, (pthread_spinlock_t * lock), (lock))
DPROF_ACQUIRING(DPROF_SYNC_SPINLOCK, pthread_spin_trylock, lock, (pthread_spinlock_t * lock), (lock))
DPROF_RELEASING(DPROF_SYNC_SPINLOCK, pthread_spin_unlock, lock, (pthread_spinlock_t * lock), (lock))

DPROF_RELEASING(DPROF_SYNC_CONDITION, pthread_cond_signal, condition, (pthread_cond_t * condition), (condition))
DPROF_RELEASING(DPROF_SYNC_CONDITION, pthread_cond_broadcast, condition, (pthread_cond_t * condition), (condition))

DPROF_RELEASING(DPROF_SYNC_SEMAPHORE, sem_post, semaphore, (sem_t * semaphore), (semaphore))
DPROF_ACQUIRING(DPROF_SYNC_SEMAPHORE, sem_trywait, semaphore, (sem_t * semaphore), (semaphore))

// Cancellation points may unwind: no noexcept.
DPROF_EXPORT int sem_wait(sem_t *semaphore) {
  return acquiring_at_last(DPROF_SYNC_SEMAPHORE, semaphore, [&] { return real().sem_wait(semaphore); });
}
DPROF_EXPORT int sem_timedwait(sem_t *semaphore, const timespec *until) {
  return acquiring(DPROF_SYNC_SEMAPHORE, semaphore, [&] { return real().sem_timedwait(semaphore, until); });
}
DPROF_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const timespec *until) {
  return acquiring(DPROF_SYNC_SEMAPHORE, semaphore, [&] { return real().sem_clockwait(semaphore, clock, until); });
}

DPROF_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  return waiting(condition, mutex, [&] { return real().pthread_cond_wait(condition, mutex); });
}
DPROF_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until) {
  return waiting(condition, mutex, [&] { return real().pthread_cond_timedwait(condition, mutex, until); });
}
DPROF_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                        const timespec *until) {
  return waiting(condition, mutex, [&] { return real().pthread_cond_clockwait(condition, mutex, clock, until); });
}

// One that processes share is counted by none of them: it stays one object.
DPROF_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                      unsigned threads) noexcept {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes) {
    Silenced silenced;
    pthread_barrierattr_getpshared(attributes, &shared);
  }
  int error = real().pthread_barrier_init(barrier, attributes, threads);
  if (!error) note_barrier(barrier, shared == PTHREAD_PROCESS_PRIVATE ? threads : 0);
  return error;
}

DPROF_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) noexcept {
  if (__builtin_expect(!recording, 1)) return real().pthread_barrier_wait(barrier);
  const uint64_t object = barrier_object(barrier); // counted whether this thread logs or not
  if (!can_log()) return real().pthread_barrier_wait(barrier);
  log_release(DPROF_SYNC_BARRIER, object);
  Awaited acquired(DPROF_EVENT_ACQUIRE, DPROF_SYNC_BARRIER, object);
  int result = real().pthread_barrier_wait(barrier);
  ErrnoKept kept;
  if (result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD) log_acquire(DPROF_SYNC_BARRIER, object);
  acquired.happened();
  return result;
}
