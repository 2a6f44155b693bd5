// Stage: test. The callbacks of clang's -fsanitize-coverage=trace-loads,trace-stores: how often each place in the code
// loaded and stored. print_counts writes "ADDRESS LOADS STORES" to $COUNTS.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { entries = 1 << 16 };
static struct {
  uintptr_t at;
  long loads, stores;
} counts[entries];
static int over;
static void count(uintptr_t at, int is_store) {
  if (over) return;
  for (unsigned i = (at * 0x9e3779b97f4a7c15ull) >> 48;; i = (i + 1) % entries) {
    if (!counts[i].at) counts[i].at = at;
    if (counts[i].at != at) continue;
    if (is_store)
      counts[i].stores++;
    else
      counts[i].loads++;
    return;
  }
}
#define BOTH(n)                                                                                                        \
  void __sanitizer_cov_load##n(void *p) {                                                                              \
    (void)p;                                                                                                           \
    count((uintptr_t)__builtin_return_address(0) - 1, 0);                                                              \
  }                                                                                                                    \
  void __sanitizer_cov_store##n(void *p) {                                                                             \
    (void)p;                                                                                                           \
    count((uintptr_t)__builtin_return_address(0) - 1, 1);                                                              \
  }
BOTH(1) BOTH(2) BOTH(4) BOTH(8) BOTH(16) void print_counts(void) {
  over = 1;
  static char buffer[65536];
  FILE *out = fopen(getenv("COUNTS"), "w");
  setvbuf(out, buffer, _IOFBF, sizeof buffer);
  static typeof(counts) copy;
  __builtin_memcpy(&copy, &counts, sizeof copy);
  for (int i = 0; i < entries; i++)
    if (copy[i].at) fprintf(out, "0x%lx %ld %ld\n", (long)copy[i].at, copy[i].loads, copy[i].stores);
  fclose(out);
}
long __seen_system_call(long n, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
