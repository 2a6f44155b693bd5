// Children, one after another. Each stores to as many different places as its number says, in an order without a
// pattern, so a later child records more.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile char places[1 << 20];

static void store(int times) {
  unsigned at = 1;
  for (int i = 0; i < times; i++) {
    at = at * 1664525 + 1013904223;
    places[at >> 12] = 1;
  }
}

int main(int count, char **arguments) {
  int children = atoi(arguments[count - 1]);
  for (int child = 1; child <= children; child++) {
    if (fork() == 0) {
      store(10 * child);
      _exit(0);
    }
    wait(NULL);
  }
  return 0;
}
