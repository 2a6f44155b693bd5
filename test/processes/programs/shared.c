// Two processes that count in two words of one line of shared memory, a thousand times each and side by side, and in private words of one address.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

struct counters {
  volatile long parent, child;
  char padding[1008];
  pthread_barrier_t both; // on other lines
};
static volatile long own;

static void count(volatile long *shared, pthread_barrier_t *both) {
  pthread_barrier_wait(both);
  for (int i = 0; i < 1000; i++) {
    (*shared)++;
    own++;
  }
}

int main(int argc, char **argv) {
  (void)argc;
  struct counters *shared;
  int file = -1, segment = -1;
  if (!strcmp(argv[1], "memfd") && ftruncate(file = memfd_create("counters", 0), 8192) != 0) return 2;
  if (!strcmp(argv[1], "sysv")) shared = shmat(segment = shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT), 0, 0);
  else shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0), file, file < 0 ? 0 : 4096);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->both, &attributes, 2);
  pid_t child = fork();
  if (child == 0) { // the same memory once more, elsewhere
    if (file >= 0) shared = (struct counters *)((char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) + 4096);
    if (segment >= 0) shared = shmat(segment, 0, 0);
    count(&shared->child, &shared->both);
    return 0;
  }
  count(&shared->parent, &shared->both);
  int status;
  waitpid(child, &status, 0);
  if (segment >= 0) shmctl(segment, IPC_RMID, 0);
  return shared->parent == 1000 && shared->child == 1000 && own == 1000 ? status : 3;
}
