// Structs on a stack and thread-local, which cannot grow where they are.
#include <stdio.h>

struct pair {
  volatile unsigned first, second;
};

static _Thread_local struct pair local[4] = {{1, 2}};

static unsigned work(struct pair *pairs) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 2000; i++) {
    pairs[i % 6].first += i;
    local[i % 4].second += pairs[i % 6].first;
    sum += local[i % 4].second;
  }
  return sum;
}

int main(void) {
  struct pair pairs[6] = {{1, 2}};
  printf("%u\n", work(pairs));
}
