// Windows and everything that interrupts a thread. Each part stores another number of bytes, so that what was recorded can be told by the sizes:
// stores of 1 byte must always be there, stores of 2 never; those of 4 and 8 the test counts.
#include <dprof.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile char always;
static volatile short never;
static volatile int some;
static volatile long others;
static void *volatile kept;
static sigjmp_buf back;
static int rounds;

// A function that began while no window was open is not recorded to its end: those that are wanted begin later.
__attribute__((noinline)) static void wanted(int count) {
  for (int i = 0; i < count; i++) always = (char)i;
}
#define WANTED(count) wanted(count)
#define UNWANTED(count) for (int i = 0; i < (count); i++) never = (short)i

static void allocating(int number) {
  (void)number;
  free(kept);
  kept = malloc(40);
  some = 1;
}

static void opening(int number) {
  (void)number;
  UNWANTED(3);
  dprof_start();
  WANTED(5);
}

static void closing(int number) {
  (void)number;
  WANTED(5);
  dprof_stop();
  UNWANTED(3);
}

static void leaving(int number) {
  rounds = number;
  some = 1;
  siglongjmp(back, 1);
}

static void leaving_open(int number) {
  opening(number);
  siglongjmp(back, 1);
}

static void leaving_closed(int number) {
  closing(number);
  siglongjmp(back, 1);
}

static void handle(void (*handler)(int)) { signal(SIGUSR1, handler); }

static void handlers(void) {
  WANTED(10);
  handle(allocating);
  raise(SIGUSR1); // its store is recorded
  dprof_stop();
  UNWANTED(10);
  raise(SIGUSR1); // this one is not; what it allocates is
  handle(opening);
  raise(SIGUSR1);
  WANTED(10);
  handle(closing);
  raise(SIGUSR1);
  UNWANTED(2000);
  dprof_start();
  WANTED(10);
}

static void jump(void (*handler)(int)) {
  handle(handler);
  if (sigsetjmp(back, 1) == 0) {
    raise(SIGUSR1);
    never = 1; // not reached
  }
}

static void jumps(void) {
  jump(leaving);
  WANTED(10);
  dprof_stop();
  jump(leaving);
  UNWANTED(600);
  jump(leaving_open);
  WANTED(10);
  jump(leaving_closed);
  UNWANTED(600);
  dprof_start();
  WANTED(10);
}

static void child_of(int is_open) {
  if (is_open) WANTED(20);
  else UNWANTED(20);
  kept = malloc(56);
  dprof_start();
  WANTED(7);
  _exit(0);
}

static void fork_here(int is_open) {
  pid_t pid = fork();
  if (pid == 0) child_of(is_open);
  int status;
  if (waitpid(pid, &status, 0) != pid || status != 0) abort();
}

static void forks(void) {
  fork_here(1);
  WANTED(10);
  dprof_stop();
  fork_here(0);
  UNWANTED(10);
  dprof_start();
  WANTED(10);
}

static void fork_in_handler(int number) { fork_here(number != SIGUSR1); }

static void forks_in_handlers(void) {
  dprof_stop();
  handle(fork_in_handler);
  raise(SIGUSR1);
  UNWANTED(10);
  dprof_start();
  signal(SIGUSR2, fork_in_handler);
  raise(SIGUSR2);
  WANTED(10);
}

static void *switching(void *argument) {
  for (int i = 0; i < 300; i++) {
    dprof_stop();
    void *volatile block = malloc(24);
    free(block);
    dprof_start();
    others = (long)argument;
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  for (long i = 0; i < 4; i++) pthread_create(&all[i], NULL, switching, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
  dprof_start();
  WANTED(10);
}

static pthread_barrier_t barrier;

static void *ending(void *argument) {
  (void)argument;
  WANTED(10);
  dprof_stop();
  UNWANTED(100);
  kept = malloc(72);
  return NULL;
}

static void *looking(void *argument) {
  (void)argument;
  dprof_stop();
  UNWANTED(4);
  pthread_barrier_wait(&barrier); // the other opens
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 30000; i++) some = i; // within a thousand it sees that
  return NULL;
}

static void others_threads(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ending, NULL);
  pthread_join(thread, NULL);
  dprof_start();
  WANTED(10);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, looking, NULL);
  pthread_barrier_wait(&barrier);
  dprof_start();
  WANTED(10);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
}

static volatile sig_atomic_t ticks;
static void tick(int number) {
  (void)number;
  ticks++;
  free(kept);
  kept = malloc(32);
  others = ticks;
  if (ticks % 7 == 3) dprof_stop();
  if (ticks % 7 == 5) dprof_start();
}

static void storm(void) {
  struct itimerval often = {{0, 1000}, {0, 1000}};
  signal(SIGALRM, tick);
  setitimer(ITIMER_REAL, &often, NULL);
  while (ticks < 100) {
    for (int i = 0; i < 300; i++) some = i;
    if (ticks % 2) dprof_stop();
    some = 2;
    dprof_start();
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm, NULL);
    sigprocmask(SIG_UNBLOCK, &alarm, NULL);
    usleep(100);
  }
  memset(&often, 0, sizeof often);
  setitimer(ITIMER_REAL, &often, NULL);
  signal(SIGALRM, SIG_IGN);
  dprof_start();
  WANTED(10);
}

static void busy(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 10; i++) some = i;
    usleep(50);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 400000000L);
}

__attribute__((noinline)) static void count_others(void) {
  for (int i = 0; i < 20000; i++) others = i;
}

static void paused(void) {
  for (int i = 0; i < 100; i++) some = i; // before it is told
  dprof_start();
  count_others();
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "handlers") == 0) handlers();
  else if (strcmp(mode, "jumps") == 0) jumps();
  else if (strcmp(mode, "forks") == 0) forks();
  else if (strcmp(mode, "forks-in-handlers") == 0) forks_in_handlers();
  else if (strcmp(mode, "threads") == 0) threads();
  else if (strcmp(mode, "others") == 0) others_threads();
  else if (strcmp(mode, "storm") == 0) storm();
  else if (strcmp(mode, "busy") == 0) busy();
  else if (strcmp(mode, "paused") == 0) paused();
  return 0;
}
