// A handler that raises its own signal, six deep; each loads twice. Ends as its argument says.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "instrumented.h"

static long numbers[8];
static volatile sig_atomic_t depth;

static void on_signal(int number) {
  load_two(&numbers[0], &numbers[1]);
  if (++depth < 6) raise(number);
}

int main(int count, char **words) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
  sigaction(SIGUSR1, &action, 0);
  store_one(&numbers[0], 1);
  raise(SIGUSR1);
  store_one(&numbers[1], 1);
  if (count > 1 && words[1][0] == 'k') kill(getpid(), SIGKILL);
  return depth;
}
