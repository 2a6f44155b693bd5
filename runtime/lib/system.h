// Stage: runtime. The kernel without libc: calls that touch neither errno nor the program's allocator, and the clock.
#pragma once

#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dprof {

// Returns the kernel's answer: a result, or minus an errno.
static inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "dprof knows x86-64 and aarch64"
#endif
}

#if defined(__x86_64__)
// All processors since 2008 have it, but not all that are emulated.
static inline bool has_rdtscp() {
  static uint8_t known = 0; // 1: it has it; 2: it has not
  if (__builtin_expect(!known, 0)) {
    uint32_t a, b, c, d = 0;
    known = __get_cpuid(0x80000001, &a, &b, &c, &d) && d >> 27 & 1 ? 1 : 2;
  }
  return known == 1;
}
#endif

#if defined(__aarch64__)
static inline uint64_t read_ticks() {
  uint64_t ticks;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
}

// Where the C library has registered a restartable sequence for its threads, the kernel keeps the CPU's number there.
extern "C" __attribute__((weak)) const ptrdiff_t __rseq_offset;
extern "C" __attribute__((weak)) const unsigned __rseq_size;

static inline uint32_t current_cpu() {
  if (&__rseq_offset && &__rseq_size && __rseq_size) {
    constexpr ptrdiff_t cpu_id = 4; // struct rseq: cpu_id_start, cpu_id; negative: not registered
    int cpu = *(volatile int *)((char *)__builtin_thread_pointer() + __rseq_offset + cpu_id);
    if (cpu >= 0) return (uint32_t)cpu;
  }
  unsigned current = 0;
  system_call(SYS_getcpu, (long)&current);
  return current;
}
#endif

// The read is ordered after earlier loads, and before later stores become visible. On x86-64 both instructions wait for
// everything before them, and stores leave the core only after they have retired. On aarch64 a barrier waits for the
// loads, and nothing behind the last one begins earlier. There the counter may tick 25 million times a second, so that
// a release and the acquire behind it, on another core, could find the same tick: a stamp is the first tick that begins
// after the question, and so is larger than every stamp that was there before.
static inline uint64_t read_clock(uint32_t *cpu) {
#if defined(__x86_64__)
  uint32_t low, high, aux = 0;
  if (__builtin_expect(has_rdtscp(), 1)) {
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux) : : "memory");
  } else {
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    system_call(SYS_getcpu, (long)&aux);
  }
  *cpu = aux & 0xfff;
  return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
  *cpu = current_cpu() & 0xfff;
  __asm__ volatile("dsb ishld" : : : "memory");
  uint64_t asked = read_ticks(), now;
  do now = read_ticks();
  while (now == asked);
  __asm__ volatile("isb" : : : "memory");
  return now;
#endif
}

static inline void futex_wait(uint32_t *word, uint32_t expected, long milliseconds) {
  struct timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  system_call(SYS_futex, (long)word, FUTEX_WAIT, expected, (long)&timeout);
}

static inline void futex_wake(uint32_t *word) { system_call(SYS_futex, (long)word, FUTEX_WAKE, 0x7fffffff); }

// While one of these lives, no signal handler runs on this thread.
class SignalsBlocked {
public:
  SignalsBlocked() {
    uint64_t all = ~0ull;
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before_, sizeof all);
  }
  ~SignalsBlocked() { system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before_, 0, sizeof before_); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t before_ = 0;
};

// errno as the program left it, whatever happens in between.
class ErrnoKept {
public:
  ErrnoKept();
  ~ErrnoKept();

private:
  int value_;
};

template <typename T> static inline T load(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <typename T> static inline void store(T *p, T value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }
template <typename T> static inline T fetch_add(T *p, T n) { return __atomic_fetch_add(p, n, __ATOMIC_ACQ_REL); }
template <typename T> static inline bool swap_if(T *p, T expected, T value) {
  return __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline void take_lock(uint32_t *lock) {
  while (!swap_if<uint32_t>(lock, 0, 1)) futex_wait(lock, 1, 1);
}
static inline void give_lock(uint32_t *lock) {
  store<uint32_t>(lock, 0);
  futex_wake(lock);
}

// While an object of this class lives, no other thread has the lock. A handler never waits for the thread that it
// interrupted, because a thread with the lock takes no signals.
class Locked {
public:
  explicit Locked(uint32_t &lock) : lock_(lock) { take_lock(&lock_); }
  ~Locked() { give_lock(&lock_); }

private:
  SignalsBlocked blocked_;
  uint32_t &lock_;
};

} // namespace dprof
