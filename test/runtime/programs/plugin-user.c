// Opens the library of argument 1 twice, closing it in between, and lets it store; stores by itself around that.
#include <dlfcn.h>

#include "instrumented.h"

int main(int count, char **arguments) {
  (void)count;
  store_one(&test_global, 1);
  for (int i = 0; i < 2; i++) {
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library) return 1;
    void (*log_one_store)(void);
    *(void **)&log_one_store = dlsym(library, "log_one_store");
    log_one_store();
    dlclose(library);
    store_one(&test_global, 1);
  }
  return 0;
}
