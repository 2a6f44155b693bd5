// What is hard to instrument without breaking it. Prints the same with and without the plugin.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static int depth;
static void down(int n) { depth++; if (n == 0) longjmp(back, 3); down(n - 1); }

static int interpret(const unsigned char *p) {
  static void *steps[] = {&&add, &&sub, &&end};
  int sum = 0;
  goto *steps[*p++];
add: sum += *p++; goto *steps[*p++];
sub: sum -= *p++; goto *steps[*p++];
end: return sum;
}

static int sum(int n, ...) {
  va_list a;
  int s = 0;
  va_start(a, n);
  while (n--) s += va_arg(a, int);
  va_end(a);
  return s;
}

struct big { int a[32]; };
static int by_value(struct big b) { return b.a[3]; }
struct bits { unsigned x : 3, y : 5; int z : 4; unsigned long w : 40; } bits;
static int in_memory(int *p) { int r; __asm__ volatile("movl %1,%0" : "=r"(r) : "m"(*p)); return r; }
__attribute__((noinline)) static int labelled(int v) { __asm__ volatile("dprof_test_label: nop"); return v + 1; }
static int jumps(int v) { __asm__ goto("test %0,%0; jz %l1" ::"r"(v)::out); return 1; out: return 2; }
__attribute__((naked)) int naked(void) { __asm__("mov $7,%eax; ret"); }
__attribute__((noinline)) static int tail_callee(int *p) { return *p * 2; }
int tail_caller(int *p) { (*p)++; __attribute__((musttail)) return tail_callee(p); }
static int cleaned;
static void clean(int *p) { cleaned += *p; }
static int with_cleanup(int n) { __attribute__((cleanup(clean))) int local = n; return local * 2; }
static volatile sig_atomic_t signals;
static void handler(int number) { signals += number == SIGUSR1; }
static int variable_length(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static int nested(int n) { return n < 2 ? n : nested(n - 1) + nested(n - 2); }
static int switched(int n) { switch (n & 7) { case 0: return 9; case 1: n += 2; case 2: return n; case 5: return -n; default: return n * n; } }
static __int128 wide(__int128 v) { return v * v; }
static long double extended(long double v) { return v / 3; }
static _Complex double complex(_Complex double v) { return v * v; }

int main(int argc, char **argv) {
  int r = setjmp(back);
  if (!r) down(5);
  printf("%d %d\n", r, depth);
  unsigned char program[] = {0, 5, 1, 2, 0, 9, 2};
  printf("%d %d\n", interpret(program), sum(3, 1, 2, 3));
  struct big big;
  memset(&big, argc, sizeof big);
  printf("%d\n", by_value(big));
  bits.x = argc, bits.y = argc + 2, bits.z = -3, bits.w = 1ul << 33;
  printf("%d %d %d %lx\n", bits.x, bits.y, bits.z, (unsigned long)bits.w);
  int v = argc;
  printf("%d %d %d %d %d %d\n", in_memory(&v), labelled(v), jumps(v - 1), naked(), tail_caller(&v), with_cleanup(4) + cleaned);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  printf("%d %d %d %d\n", (int)signals, variable_length(argc * 10), nested(15), switched(argc) + switched(5));
  printf("%d %.4Lf %.1f\n", (int)wide(argc + 11), extended(argc), __real__ complex(argc + 2.0i));
  char *text = strdup(argv[0] ? "text" : "");
  char name[20];
  snprintf(name, sizeof name, "%s%d", text, argc);
  free(text);
  puts(name);
  return 42;
}
