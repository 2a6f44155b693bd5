// Opens libraries one after the other, in turn, and calls their `work`. Prints for each where its global is.
//   same-place ROUNDS LIBRARY...
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef void work(int times);
static pthread_barrier_t together;
static work *volatile present;

// Works in each library too, and says nothing to anybody in between.
static void *other(void *rounds) {
  for (long left = *(long *)rounds; left > 0; left--) {
    pthread_barrier_wait(&together);
    present(3);
    pthread_barrier_wait(&together);
  }
  return NULL;
}

int main(int count, char **words) {
  long rounds = atol(words[1]), all = rounds * (count - 2);
  pthread_t thread;
  pthread_barrier_init(&together, NULL, 2);
  pthread_create(&thread, NULL, other, &all);
  for (long round = 0; round < rounds; round++) {
    for (int i = 2; i < count; i++) {
      void *library = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
      if (!library) return fputs(dlerror(), stderr), 1;
      present = (work *)dlsym(library, "work");
      pthread_barrier_wait(&together);
      present(5);
      pthread_barrier_wait(&together);
      char *table = dlsym(library, "shared_table");
      table[0] = 1;
      printf("%lx\n", (long)table);
      dlclose(library);
    }
  }
  pthread_join(thread, NULL);
  return 0;
}
