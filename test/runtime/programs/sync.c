// Every synchronisation once, in this order; the test names the events of each line. Prints the addresses of the objects.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "instrumented.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static atomic_long counter;
static volatile int asked;

static void *ask(void *argument) {
  pthread_mutex_lock(&mutex);
  asked = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_exit(argument);
}

int main(void) {
  pthread_barrier_init(&barrier, 0, 1);
  pthread_spin_init(&spin, 0);
  sem_init(&semaphore, 0, 0);
  int pipes[2], sockets[2];
  if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 1;
  int events = eventfd(0, 0), file = open("/dev/zero", O_RDONLY);
  char bytes[16];
  struct timespec past = {1, 0}, soon = {0, 2000000};
  pthread_t thread;

  step_empty();
  pthread_mutex_lock(&mutex);
  if (!pthread_mutex_trylock(&mutex)) return 2;
  pthread_mutex_unlock(&mutex);
  if (pthread_mutex_trylock(&mutex)) return 3;
  pthread_cond_timedwait(&condition, &mutex, &past);
  pthread_mutex_unlock(&mutex);
  step_empty();
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  pthread_spin_lock(&spin);
  pthread_spin_unlock(&spin);
  sem_post(&semaphore);
  sem_wait(&semaphore);
  pthread_cond_broadcast(&condition);
  pthread_barrier_wait(&barrier);
  step_empty();
  if (write(pipes[1], "0123456", 7) != 7 || read(pipes[0], bytes, 16) != 7) return 4;
  if (send(sockets[0], "01234", 5, 0) != 5 || recv(sockets[1], bytes, 16, 0) != 5) return 5;
  if (write(events, "\1\0\0\0\0\0\0\0", 8) != 8 || read(events, bytes, 8) != 8) return 6;
  if (read(file, bytes, 9) != 9) return 7;
  step_empty();
  nanosleep(&soon, 0);
  poll(0, 0, 2);
  update(&counter);
  step_empty();
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, 0, ask, 0);
  while (!asked) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, 0);
  step_empty();
  printf("%lx %lx %lx %lx %lx %lx %lx\n", (long)&mutex, (long)&rwlock, (long)&condition, (long)&barrier, (long)&spin, (long)&semaphore, (long)&counter);
  return 0;
}
