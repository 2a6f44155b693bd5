// The same sums in a loop of its own.
#include <dprof/iterations.h>
#include <stdlib.h>

struct alignas(64) row {
  volatile long value;
};

static row rows[1024];

int main(int, char **words) {
  const long lines = atol(words[1]);
  for (int i = 0; i < 1000; i++) {
    dprof::iteration counted;
    for (long line = 0; line < lines; line++) (void)rows[line].value;
  }
  return 0;
}
