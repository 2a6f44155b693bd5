// Three functions, two of which are inlined, and two structs: what is left of them when only some are chosen. Run with a mode, it opens and closes windows.
#include <dprof.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct left { long a; };
struct right { long b; };
static struct left lefts[100];
static struct right rights[100];

__attribute__((noinline)) static void fill_left(void) {
  for (int i = 0; i < 100; i++) lefts[i].a = i; // 100 stores
}
static inline void set_right(int i) { rights[i].b = i; }
__attribute__((noinline)) static void fill_right(void) {
  for (int i = 0; i < 100; i++) set_right(i); // 100 stores
}
__attribute__((noinline)) static long add(void) {
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += lefts[i].a + rights[i].b; // 200 loads
  return sum;
}

static long volatile counter;
static void *volatile kept;

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : ""; // strcoll: what it looks at, unlike what strcmp does, is not recorded
  if (strcoll(mode, "stop") == 0) {
    fill_left();
    dprof_mark("closed part");
    dprof_stop();
    kept = malloc(48);
    fill_right();
    for (int i = 0; i < 1000; i++) counter = i; // this function is on its way already: 1000 stores that nobody wants
    dprof_start();
    dprof_mark("open part");
    memset(kept, 1, 48);
    return add() == 2 * 4950 ? 0 : 1;
  }
  if (strcoll(mode, "signal") == 0) {
    raise(SIGUSR2);
    fill_left();
    raise(SIGUSR2);
    fill_right();
    return 0;
  }
  fill_left();
  fill_right();
  for (int round = 0; round < (count > 2 ? atoi(words[2]) : 1); round++)
    if (add() != 2 * 4950) return 1;
  return 0;
}
