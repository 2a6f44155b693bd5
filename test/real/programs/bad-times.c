// What programs do that is hard on whoever records them, one mode each. The output and the end of every mode are the same in every run.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct node {
  long key, count;
  struct node *next;
};

static struct node *table[1024];
static long numbers[1 << 14];

static unsigned long next_random(unsigned long *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static long work(long steps) {
  unsigned long state = 88172645463325252ul;
  long sum = 0;
  for (long i = 0; i < steps; i++) {
    unsigned long random = next_random(&state);
    numbers[random & 16383] += i;
    sum += numbers[random >> 20 & 16383];
    if (random >> 50 == 0) {
      struct node *node = malloc(sizeof *node);
      *node = (struct node){(long)(random & 1023), i, table[random & 1023]};
      table[random & 1023] = node;
    }
  }
  return sum;
}

static void *short_life(void *argument) {
  long *slot = argument;
  for (int i = 0; i < 10; i++) *slot += i;
  return slot;
}

static int storm(int count) {
  static long slots[16];
  long joined = 0;
  for (int i = 0; i < count; i += 16) {
    pthread_t threads[16];
    for (int k = 0; k < 16; k++)
      if (pthread_create(&threads[k], NULL, short_life, &slots[k])) return 1;
    for (int k = 0; k < 16; k++) joined += pthread_join(threads[k], NULL) == 0;
  }
  long sum = 0;
  for (int k = 0; k < 16; k++) sum += slots[k];
  printf("%ld threads, sum %ld\n", joined, sum);
  return 0;
}

static pthread_barrier_t everybody;
static void *crowd_member(void *argument) {
  *(long *)argument = 1;
  pthread_barrier_wait(&everybody);
  *(long *)argument += 1;
  return NULL;
}

static int crowd(int count) {
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  long *slots = calloc((size_t)count, sizeof *slots), sum = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_barrier_init(&everybody, NULL, (unsigned)count);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], &small, crowd_member, &slots[i])) return printf("no thread %d\n", i), 1;
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < count; i++) sum += slots[i];
  printf("%d at once, sum %ld\n", count, sum);
  return 0;
}

static sigjmp_buf overflowed;
static volatile sig_atomic_t overflow_exits;
static void on_overflow(int number) {
  if (overflow_exits) _exit(42);
  siglongjmp(overflowed, number);
}

__attribute__((noinline)) static long dig(long depth, volatile long *above) {
  if (depth < 0) return *above;
  volatile long here[6];
  here[depth % 6] = *above + depth;
  return dig(depth + 1, here) + here[(depth + 1) % 6];
}

// Another depth each time, so that the overflow meets another place.
__attribute__((noinline)) static int overflow_once(int shift) {
  volatile char *room = __builtin_alloca((size_t)(16 * shift + 1));
  room[0] = 1;
  static volatile long seed;
  if (sigsetjmp(overflowed, 1)) return 1;
  return (int)dig(shift, &seed);
}

static int deep(int rounds, int exits) {
  static char stack[65536];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, NULL);
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = 256 << 10;
  setrlimit(RLIMIT_STACK, &limit);
  overflow_exits = exits;
  int caught = 0;
  for (int i = 0; i < rounds; i++) caught += overflow_once(i % 512);
  printf("%d overflows\n", caught);
  return 0;
}

static int many_vforks(int count, char *self) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    pid_t child = vfork();
    if (child == 0) {
      numbers[i & 16383] += i;
      if (i % 3 == 0) execl("/bin/true", "true", (char *)0);
      if (i % 3 == 1) execl(self, self, "leave", (char *)0);
      _exit(i & 63);
    }
    int status = 0;
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status) + numbers[i & 16383];
  }
  printf("vfork sum %ld\n", sum);
  return 0;
}

static int many_spawns(int count, char *self) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    pid_t child;
    char *arguments[] = {self, i % 2 ? "work-little" : "leave", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int status = posix_spawn(&child, self, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status) return printf("posix_spawn: %s\n", strerror(status)), 1;
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status);
  }
  printf("spawn sum %ld\n", sum);
  return 0;
}

static int many_forks(int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    pid_t child = fork();
    if (child == 0) {
      long mine = work(1000 + i);
      _exit((int)(mine & 1) + i % 50);
    }
    int status = 0;
    waitpid(child, &status, 0);
    sum += WEXITSTATUS(status) - (WEXITSTATUS(status) - i % 50);
  }
  printf("fork sum %ld\n", sum);
  return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static long cleaned;
static void clean(void *argument) {
  cleaned += (long)argument;
  pthread_mutex_unlock(&lock);
}
static void *waits_for_ever(void *argument) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(clean, argument);
  while (1) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(1);
  return NULL;
}
static void *computes_for_ever(void *argument) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  volatile long *slot = argument;
  for (long i = 0;; i++) slot[i & 1023] += i;
  return NULL;
}
static void *reads_for_ever(void *argument) {
  char bytes[16];
  while (read(*(int *)argument, bytes, sizeof bytes) >= 0) continue;
  return NULL;
}

static int cancels(int count) {
  long cancelled = 0;
  int ends[2];
  if (pipe(ends)) return 1;
  for (int i = 0; i < count; i++) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, waits_for_ever, (void *)1l);
    pthread_create(&threads[1], NULL, computes_for_ever, numbers);
    pthread_create(&threads[2], NULL, reads_for_ever, &ends[0]);
    usleep((useconds_t)(i * 37 % 700));
    for (int k = 0; k < 3; k++) pthread_cancel(threads[k]);
    for (int k = 0; k < 3; k++) {
      void *result;
      pthread_join(threads[k], &result);
      cancelled += result == PTHREAD_CANCELED;
    }
  }
  // A thread that is cancelled before it has pushed its handler cleans nothing.
  printf("%ld cancelled, %s\n", cancelled, cleaned <= count ? "each cleaned at most once" : "cleaned too often");
  return 0;
}

static volatile sig_atomic_t alarms;
static struct node *kept;
static void on_alarm(int number) {
  (void)number;
  struct node *node = malloc(sizeof *node);
  node->next = kept;
  node->key = alarms;
  if (alarms % 2) free(node);
  else kept = node;
  alarms++;
}

static int alternate_stacks(int wanted) {
  stack_t alternate = {.ss_sp = malloc(SIGSTKSZ), .ss_size = (size_t)SIGSTKSZ};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 300}, {0, 300}}, stop = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  unsigned long state = 1234567;
  while (alarms < wanted) numbers[next_random(&state) & 16383]++;
  setitimer(ITIMER_REAL, &stop, NULL);
  long length = 0;
  for (struct node *node = kept; node; node = node->next) length++;
  printf("list %s\n", length == (alarms + 1) / 2 ? "whole" : "broken");
  return 0;
}

// How much memory can be had under a limit: pieces of 32 MiB, by fours.
static int fill_memory(int megabytes) {
  if (megabytes) {
    struct rlimit limit = {(rlim_t)megabytes << 20, (rlim_t)megabytes << 20}, seen;
    if (setrlimit(RLIMIT_AS, &limit)) return printf("setrlimit: %s\n", strerror(errno)), 1;
    getrlimit(RLIMIT_AS, &seen);
    printf("limit %lu %lu\n", (unsigned long)(seen.rlim_cur >> 20), (unsigned long)(seen.rlim_max >> 20));
  }
  int pieces = 0;
  while (pieces < 64 && mmap(NULL, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) pieces++;
  printf("%d pieces or a few more, work %ld\n", pieces / 4 * 4, work(100000));
  return 0;
}

static int lock_memory(void) {
  int result = mlockall(MCL_CURRENT | MCL_FUTURE);
  printf("mlockall %d, work %ld\n", result, work(100000));
  return 0;
}

static int change_user(void) {
  if (setgid(65534) || setuid(65534)) return printf("not root\n"), 0;
  printf("work %ld\n", work(100000));
  return many_forks(2);
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "work";
  int n = count > 2 ? atoi(arguments[2]) : 0;
  if (!strcmp(mode, "leave")) _exit(7);
  if (!strcmp(mode, "work-little")) return work(1000) & 1 ? 3 : 5;
  if (!strcmp(mode, "work")) {
    long sum = work(n ? n : 1000000);
    printf("work %ld\n", sum);
    return 3;
  }
  if (!strcmp(mode, "storm")) return storm(n ? n : 10000);
  if (!strcmp(mode, "crowd")) return crowd(n ? n : 2000);
  if (!strcmp(mode, "deep")) return deep(n ? n : 300, 0);
  if (!strcmp(mode, "deep-exit")) return deep(1, 1);
  if (!strcmp(mode, "deep-die")) return (int)dig(0, numbers);
  if (!strcmp(mode, "vfork")) return many_vforks(n ? n : 60, arguments[0]);
  if (!strcmp(mode, "spawn")) return many_spawns(n ? n : 30, arguments[0]);
  if (!strcmp(mode, "fork")) return many_forks(n ? n : 30);
  if (!strcmp(mode, "cancel")) return cancels(n ? n : 100);
  if (!strcmp(mode, "altstack")) return alternate_stacks(n ? n : 1000);
  if (!strcmp(mode, "memory")) return fill_memory(n);
  if (!strcmp(mode, "lock")) return lock_memory();
  if (!strcmp(mode, "user")) return change_user();
  if (!strcmp(mode, "abort")) {
    printf("work %ld\n", work(100000));
    fflush(stdout);
    abort();
  }
  return 2;
}
