// Sums of a thousand floats, each in a loop that is recorded once; with an argument, half of them in a signal's handler.
#include <signal.h>
#include <stdlib.h>

float numbers[1000];
static volatile double total;

__attribute__((noinline)) static void sum(void) {
  float s = 0;
  for (int i = 0; i < 1000; i++) s += numbers[i];
  total = s;
}

static void handle(int number) {
  (void)number;
  sum();
}

int main(int count, char **words) {
  signal(SIGUSR1, handle);
  for (int i = 0; i < atoi(words[1]); i++) {
    if (count > 2 && i % 2) raise(SIGUSR1);
    else sum();
  }
}
