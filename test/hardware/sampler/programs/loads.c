// A module that comes and goes while the program runs, and a mapped file that is no program.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include "say.h"

int main(int count, char **arguments) {
  // Not by mmap, which is an allocation: as the loader maps. The sampler reads the mappings when it looks for `make`.
  char *text = (char *)syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE, open(__FILE__, O_RDONLY), 0);
  void *part = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0;
  if (!part) return 1;
  void *(*make)(void) = (void *(*)(void))dlsym(part, "make");
  char *shared = dlsym(part, "shared");
  char *made = make();
  SAY(made + 4);
  SAY(shared + 4);
  SAY(text + 4);
  usleep(150000); // so that the probe has brought them in order
  dlclose(part);
  SAY(made);
  free(made);
  return 0;
}
