// Stands in front of musl's file of this name when dprof-cc builds it: its system calls go through the runtime
// (runtime/lib/musl_system_calls.cc), which knows what the kernel writes.
#define __syscall0 __dprof_inline_syscall0
#define __syscall1 __dprof_inline_syscall1
#define __syscall2 __dprof_inline_syscall2
#define __syscall3 __dprof_inline_syscall3
#define __syscall4 __dprof_inline_syscall4
#define __syscall5 __dprof_inline_syscall5
#define __syscall6 __dprof_inline_syscall6
#include_next <syscall_arch.h>
#undef __syscall0
#undef __syscall1
#undef __syscall2
#undef __syscall3
#undef __syscall4
#undef __syscall5
#undef __syscall6

long __seen_system_call(long, long, long, long, long, long, long);

static __inline long __syscall0(long n) { return __seen_system_call(n, 0, 0, 0, 0, 0, 0); }
static __inline long __syscall1(long n, long a) { return __seen_system_call(n, a, 0, 0, 0, 0, 0); }
static __inline long __syscall2(long n, long a, long b) { return __seen_system_call(n, a, b, 0, 0, 0, 0); }
static __inline long __syscall3(long n, long a, long b, long c) { return __seen_system_call(n, a, b, c, 0, 0, 0); }
static __inline long __syscall4(long n, long a, long b, long c, long d) {
  return __seen_system_call(n, a, b, c, d, 0, 0);
}
static __inline long __syscall5(long n, long a, long b, long c, long d, long e) {
  return __seen_system_call(n, a, b, c, d, e, 0);
}
static __inline long __syscall6(long n, long a, long b, long c, long d, long e, long f) {
  return __seen_system_call(n, a, b, c, d, e, f);
}
