// Atomics end their segment and carry a stamp; whether the result is used makes the difference.
#include <stdatomic.h>

struct counter { _Atomic long value; _Atomic int flag; };
static struct counter counter;
static volatile int plain;
int result;

int main(void) {
  atomic_store(&counter.flag, 1);                            // atomic-store 4 struct counter .flag @8 var=counter
  atomic_fetch_add_explicit(&counter.value, 2, memory_order_relaxed); // atomic-update 8 struct counter .value var=counter
  long before = atomic_fetch_add(&counter.value, 3);         // atomic-result 8 struct counter .value var=counter
  int seen = atomic_load_explicit(&counter.flag, memory_order_acquire); // atomic-load 4 struct counter .flag @8 var=counter
  long expected = 5;
  int swapped = __c11_atomic_compare_exchange_strong(&counter.value, &expected, 9, memory_order_seq_cst, memory_order_relaxed); // atomic-result 8 struct counter .value var=counter
  plain = before;                                            // store 4 int var=plain
  result = seen + swapped;                                   // store 4 int var=result
  return plain != 2;                                          // load 4 int var=plain
}
