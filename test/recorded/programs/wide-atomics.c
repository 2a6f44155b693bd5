// Atomics that no instruction is wide enough for: libatomic makes them. Prints where the object is.
#include <stdatomic.h>
#include <stdio.h>

typedef struct {
  long a, b, c;
} Wide;

_Atomic(Wide) object __attribute__((aligned(64)));

int main(void) {
  Wide one = {1, 2, 3}, two = {4, 5, 6};
  atomic_store(&object, one);
  Wide read = atomic_load(&object);
  Wide old = atomic_exchange(&object, two);
  int matched = atomic_compare_exchange_strong(&object, &old, one);
  printf("%lx %d\n", (unsigned long)&object, (int)(read.c + old.a + matched));
}
