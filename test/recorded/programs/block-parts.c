// Loops that run known numbers of times between marks, in a child of fork, and in two threads.
#include <dprof.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

NOINLINE unsigned mix(unsigned x, int rounds) { // no reference
  while (rounds-- > 0) {
    x ^= x << 13;
    x ^= x >> 17;
  }
  return x;
}

NOINLINE long add_up(const long *values, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += values[i] ^ sum;
  return sum;
}

static long values[4096];
static volatile long result;

static void work(int rounds) {
  result += mix((unsigned)result, rounds);
  result += add_up(values, rounds);
}

static void marks(void) {
  work(100);
  dprof_mark("begin");
  for (volatile int i = 0; i < 3; i++) work(1000);
  dprof_mark("end");
  work(50);
}

NOINLINE static void within(void) { // marks in the middle of its loop, at its 4th and its 11th time
  for (volatile int i = 0; i < 20; i++) {
    if (i == 3) dprof_mark("begin");
    if (i == 10) dprof_mark("end");
    result += i;
  }
}

static void children(void) {
  work(100);
  pid_t pid = fork();
  if (pid == 0) {
    work(1000);
    exit(0);
  }
  int status;
  if (waitpid(pid, &status, 0) != pid || status != 0) abort();
  work(10);
}

static void *thread(void *rounds) {
  work((int)(long)rounds);
  return NULL;
}

static void threads(void) {
  pthread_t one, other;
  dprof_mark("begin");
  if (pthread_create(&one, NULL, thread, (void *)700L) != 0) abort();
  if (pthread_create(&other, NULL, thread, (void *)800L) != 0) abort();
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  dprof_mark("end");
  work(60);
}

int main(int count, char **words) {
  const char *part = count > 1 ? words[1] : "";
  if (strcmp(part, "marks") == 0) marks();
  else if (strcmp(part, "within") == 0) within();
  else if (strcmp(part, "children") == 0) children();
  else if (strcmp(part, "threads") == 0) threads();
  else if (strcmp(part, "exec") == 0) { // two programs that load one library, or this one twice
    pid_t pid = fork();
    if (pid == 0) execv(words[2], words + 2);
    int status;
    if (waitpid(pid, &status, 0) != pid || status != 0) abort();
    work(20);
  }
  return 0;
}
