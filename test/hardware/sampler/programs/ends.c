// Objects at one address, of one type after the other: what ends them is free, a failed realloc (it does not), a child that is forked, an exec.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "say.h"

struct first {
  long a, b;
};
struct second {
  char text[16];
};
struct third {
  short s[4];
  long rest, more; // another size: a compiler may make one call of two
};

static void *volatile kept;

int main(int count, char **arguments) {
  for (int file = 3; file < 64; file++) close(file); // as daemons do
  errno = 0;
  if (count > 1) { // executed in the place of the first
    struct third *here = malloc(sizeof *here);
    SAY(&here->rest);
    free(here);
    return strcmp(arguments[1], "again") == 0 && errno == 0 ? 7 : 8;
  }
  struct first *one = malloc(sizeof *one);
  kept = one;
  SAY(&one->b);
  free(one);
  struct second *two = malloc(sizeof *two);
  SAY(&two->text[15]);
  int same = (void *)two == kept;
  volatile size_t most = ~(size_t)0 / 2;
  errno = 0;
  struct second *moved = realloc(two, most);
  if (moved || errno != ENOMEM) return 1;
  SAY(&two->text[3]);
  pid_t child = fork();
  if (child == 0) {
    SAY(&two->text[4]);
    free(two);
    free(malloc(1000));
    _exit(3);
  }
  int status;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) != 3) return 2;
  SAY(&two->text[5]);
  char *pages = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SAY(pages + 5000);
  munmap(pages, 4096);
  SAY(pages + 100);
  SAY(pages + 5000);
  munmap(pages + 4096, 2 * 4096);
  SAY(pages + 5000);
  printf("%d\n", same);
  fflush(stdout);
  execl(arguments[0], arguments[0], "again", (char *)0);
  return 9;
}
