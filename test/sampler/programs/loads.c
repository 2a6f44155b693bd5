// A module that comes and goes while the program runs.
#include <dlfcn.h>
#include "say.h"

int main(int count, char **arguments) {
  void *part = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0;
  if (!part) return 1;
  void *(*make)(void) = (void *(*)(void))dlsym(part, "make");
  char *shared = dlsym(part, "shared");
  char *made = make();
  SAY(made + 4);
  SAY(shared + 4);
  usleep(150000); // so that the probe has brought them in order
  dlclose(part);
  SAY(made);
  free(made);
  return 0;
}
