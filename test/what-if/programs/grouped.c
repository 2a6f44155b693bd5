// Three variables that are used together, with what is hardly used between them; or side by side.
#include <stdio.h>

#ifdef CHANGED
volatile long count __attribute__((aligned(64))) = 1;
volatile long sum = 2;
volatile long largest = 3;
volatile char names[3000] __attribute__((aligned(64))) = "a";
volatile char places[5000] = "b";
#else
volatile long count = 1;
volatile char names[3000] = "a";
volatile long sum = 2;
volatile char places[5000] = "b";
volatile long largest = 3;
#endif

int main(void) {
  for (int i = 0; i < 3000; i++) {
    count++;
    sum += names[i] + places[i];
    if (largest < i) largest = i;
  }
  printf("%ld\n", count + sum + largest);
}
