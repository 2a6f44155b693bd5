// A context runs on a stack that is an array of the program's. The address of `counts` stays in its function.
#include <ucontext.h>

static char stack[64 * 1024];
static ucontext_t outer, inner;
static volatile int times = 1000;
static long result;

static void count_up(void) {
  long counts[8] = {0};
  for (int i = 0; i < times; i++) counts[i & 7]++; // 1,000 loads and stores
  result = counts[times & 7];
  swapcontext(&inner, &outer);
}

int main(void) {
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = sizeof stack;
  makecontext(&inner, count_up, 0);
  swapcontext(&outer, &inner);
  return result != 125;
}
