// Stands in front of musl's file of this name when dprof-cc builds it: what is inline assembly there is an operation
// that the plugin records as an atomic one, so musl's own locks order threads in a replay. The names are musl's
// (src/internal/atomic.h there); what has none here it makes of these.
#define a_cas a_cas
static inline int a_cas(volatile int *p, int expected, int wanted) {
  __atomic_compare_exchange_n(p, &expected, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *p, void *expected, void *wanted) {
  __atomic_compare_exchange_n((void *volatile *)p, &expected, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

#define a_swap a_swap
static inline int a_swap(volatile int *p, int value) { return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST); }

#define a_fetch_add a_fetch_add
static inline int a_fetch_add(volatile int *p, int value) { return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST); }

#define a_and a_and
static inline void a_and(volatile int *p, int value) { __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST); }

#define a_or a_or
static inline void a_or(volatile int *p, int value) { __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST); }

#define a_and_64 a_and_64
static inline void a_and_64(volatile uint64_t *p, uint64_t value) { __atomic_fetch_and(p, value, __ATOMIC_SEQ_CST); }

#define a_or_64 a_or_64
static inline void a_or_64(volatile uint64_t *p, uint64_t value) { __atomic_fetch_or(p, value, __ATOMIC_SEQ_CST); }

#define a_inc a_inc
static inline void a_inc(volatile int *p) { __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }

#define a_dec a_dec
static inline void a_dec(volatile int *p) { __atomic_fetch_sub(p, 1, __ATOMIC_SEQ_CST); }

#define a_store a_store
static inline void a_store(volatile int *p, int value) { __atomic_store_n(p, value, __ATOMIC_SEQ_CST); }

#define a_barrier a_barrier
static inline void a_barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#define a_spin a_spin
static inline void a_spin(void) { __builtin_ia32_pause(); }

#define a_crash a_crash
static inline void a_crash(void) { __asm__ __volatile__("hlt" : : : "memory"); }

#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t bits) { return __builtin_ctzll(bits); }

#define a_clz_64 a_clz_64
static inline int a_clz_64(uint64_t bits) { return __builtin_clzll(bits); }
