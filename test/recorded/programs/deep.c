// An array that ten functions ask for, one for another: a path has eight of them.
#include <stdlib.h>

__attribute__((noinline)) static int *down(int depth) {
  int *memory = depth == 0 ? malloc(4096) : down(depth - 1); // line 5
  if (!memory) abort();
  return memory;
}

int main(void) {
  int *numbers = down(8); // line 11
  for (int i = 0; i < 1024; i++) numbers[i] = i;
  return numbers[7] != 7;
}
