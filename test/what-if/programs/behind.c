// A struct that grows, and behind it, in memory, variables that begin lines.
#include <stdio.h>

struct head {
  volatile int first;
  volatile char name[56];
#ifdef CHANGED
  char padding[20];
#endif
};

struct head head = {1, "head"};
volatile char letters[64] = "abc";
volatile char table[64] __attribute__((aligned(64))) = "table";
volatile char places[64] __attribute__((aligned(128))) = "places";
volatile long sum = 1;

int main(void) {
  for (int i = 0; i < 3000; i++) {
    head.first += head.name[i % 56];
    sum += letters[i % 64] + table[i % 64] + places[i * 7 % 64];
  }
  printf("%d %ld\n", head.first, sum);
}
