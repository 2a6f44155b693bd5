// Loaded by loads.c.
#include <stdlib.h>

struct loaded {
  int a, b;
};
struct loaded shared;

struct loaded *make(void) {
  struct loaded *made = malloc(sizeof *made);
  made->b = 1;
  return made;
}
