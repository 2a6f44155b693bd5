// A structure by value where the first instruction marks that a variable's life begins, which is not kept.
#include <stdarg.h>
#include <stdlib.h>

struct two { long x, y; };

__attribute__((noinline)) void check(int a, int b, int c, int d, int e, struct two by_value, int g, ...) {
  va_list list;
  va_start(list, g);
  if (a + b + c + d + e + g != 1 || va_arg(list, int) != 2) abort();
  va_end(list);
}

int main(void) {
  struct two two = {0, 0};
  check(0, 0, 0, 0, 0, two, 1, 2);
}
