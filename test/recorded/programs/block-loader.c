// Loads the library that its first argument names, by dlopen, from the folder that the second one names.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 3 || chdir(words[2]) != 0) return 1;
  void *library = dlopen(words[1], RTLD_NOW);
  if (!library) return fputs(dlerror(), stderr), 2;
  long (*add_up)(const long *, long) = (long (*)(const long *, long))dlsym(library, "add_up");
  long values[64];
  for (long i = 0; i < 64; i++) values[i] = i;
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += add_up(values, 64);
  if (chdir("/") != 0) return 3;
  return sum == 201600 ? 0 : 4;
}
