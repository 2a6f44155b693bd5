// Stage: runtime. The functions that ours stand in front of: whatever comes next in the program's search order.
#pragma once

#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

// X(function): the default version. V(function): the condition variables' second version, where there are two. The
// first list has what every C library has that we know (glibc, musl).
// clang-format off
#define DPROF_COMMON_FUNCTIONS(X, V) \
  X(malloc) X(calloc) X(realloc) X(free) X(aligned_alloc) X(posix_memalign) X(memalign) X(valloc) X(mmap) X(mremap) \
  X(munmap) X(shmat) X(shmdt) X(pthread_join) X(pthread_tryjoin_np) X(pthread_timedjoin_np) X(pthread_mutex_lock) \
  X(pthread_mutex_trylock) X(pthread_mutex_timedlock) X(pthread_mutex_unlock) X(pthread_rwlock_rdlock) \
  X(pthread_rwlock_tryrdlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) \
  X(pthread_rwlock_timedwrlock) X(pthread_rwlock_unlock) V(pthread_cond_wait) V(pthread_cond_timedwait) \
  V(pthread_cond_signal) V(pthread_cond_broadcast) X(pthread_barrier_init) X(pthread_barrier_wait) \
  X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) X(sem_wait) X(sem_trywait) X(sem_timedwait) \
  X(sem_post) X(read) X(write) X(readv) X(writev) X(pread) X(preadv) X(recv) X(recvfrom) X(recvmsg) X(send) X(sendto) \
  X(sendmsg) X(recvmmsg) X(getrandom) X(eventfd_read) X(eventfd_write) X(socketpair) X(accept) X(accept4) X(connect) \
  X(poll) X(ppoll) X(select) X(pselect) X(epoll_wait) X(epoll_pwait) X(nanosleep) X(clock_nanosleep) X(usleep) \
  X(sleep) X(wait) X(waitpid) X(waitid) X(wait3) X(wait4) X(sigaction) X(sigwait) X(sigwaitinfo) X(sigtimedwait) \
  X(sigsuspend) X(pause) X(pthread_once) X(call_once) X(mtx_lock) X(mtx_trylock) X(mtx_timedlock) X(mtx_unlock) \
  X(cnd_wait) X(cnd_timedwait) X(cnd_signal) X(cnd_broadcast) X(thrd_join) X(longjmp) X(_longjmp) X(siglongjmp) \
  X(_Exit) X(semop) X(semtimedop) X(strtok)
#define DPROF_GLIBC_FUNCTIONS(X, V) \
  X(pvalloc) X(mmap64) X(pthread_create) X(pthread_clockjoin_np) X(pthread_mutex_clocklock) \
  X(pthread_rwlock_clockrdlock) X(pthread_rwlock_clockwrlock) X(pthread_cond_clockwait) X(sem_clockwait) X(pread64) \
  X(preadv64) X(preadv2) X(preadv64v2) X(thrd_create) X(_exit)
#define DPROF_REAL_FUNCTIONS(X, V) DPROF_COMMON_FUNCTIONS(X, V) DPROF_GLIBC_FUNCTIONS(X, V)
// clang-format on

namespace dprof {

struct RealFunctions {
#define DPROF_DECLARE(name) decltype(&::name) name;
  DPROF_REAL_FUNCTIONS(DPROF_DECLARE, DPROF_DECLARE)
#undef DPROF_DECLARE
  void (*longjmp_chk)(jmp_buf, int) __attribute__((noreturn));
};
extern RealFunctions real_functions;
extern bool real_functions_found;
void resolve_real_functions();

static inline const RealFunctions &real() {
  if (__builtin_expect(!real_functions_found, 0)) resolve_real_functions();
  return real_functions;
}

} // namespace dprof
