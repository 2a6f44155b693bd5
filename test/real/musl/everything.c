// Stage: test. What programs ask of a C library: threads and their ends, signals, jumps, processes, stdio, allocation.
// The output is the same in every run.
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long shared;
static int ready;
static _Thread_local int mine = 7;
static sem_t sem;
static void *work(void *a) {
  mine += (int)(long)a;
  for (int i = 0; i < 1000; i++) {
    char *p = malloc(16 + i % 100);
    sprintf(p, "%d", i);
    pthread_mutex_lock(&lock);
    shared += atoi(p);
    pthread_mutex_unlock(&lock);
    free(p);
  }
  pthread_mutex_lock(&lock);
  ready++;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock);
  sem_post(&sem);
  return (void *)(long)mine;
}
static void *detached(void *a) {
  (void)a;
  puts("detached");
  sem_post(&sem);
  return 0;
}
static int c11(void *a) { return *(int *)a + 1; }
static void clean(void *p) { printf("cleanup %s\n", (char *)p); }
static void *waits(void *a) {
  pthread_cleanup_push(clean, "x");
  pthread_mutex_lock(&lock);
  for (;;) pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  pthread_cleanup_pop(1);
  return a;
}
static void *sleeps(void *a) {
  pthread_cleanup_push(clean, "y");
  for (;;) sleep(10);
  pthread_cleanup_pop(1);
  return a;
}
static volatile int got;
static sigjmp_buf env;
static void handler(int n) {
  got += n;
  char b[32];
  int k = snprintf(b, sizeof b, "sig %d\n", n);
  write(1, b, k);
}
static void jumps(int n) { siglongjmp(env, n); }
static int scmp(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void bye(void) { puts("atexit"); }
int main(int argc, char **argv) {
  if (argc > 1) {
    printf("child %s\n", argv[1]);
    return 5;
  }
  atexit(bye);
  sem_init(&sem, 0, 0);
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
  pthread_mutex_lock(&lock);
  while (ready < 4) pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock);
  long sum = 0;
  for (int i = 0; i < 4; i++) {
    void *r;
    pthread_join(t[i], &r);
    sum += (long)r;
    sem_wait(&sem);
  }
  printf("%ld %ld %d\n", shared, sum, mine);
  pthread_attr_t at;
  pthread_attr_init(&at);
  pthread_attr_setdetachstate(&at, 1);
  pthread_attr_setstacksize(&at, 65536);
  pthread_create(&t[0], &at, detached, 0);
  sem_wait(&sem);
  usleep(20000);
  thrd_t th;
  int five = 5, res;
  thrd_create(&th, c11, &five);
  thrd_join(th, &res);
  printf("c11 %d\n", res);
  pthread_create(&t[0], 0, waits, 0);
  usleep(20000);
  pthread_cancel(t[0]);
  void *r;
  pthread_join(t[0], &r);
  printf("cancelled %d\n", r == PTHREAD_CANCELED);
  pthread_mutex_trylock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_create(&t[0], 0, sleeps, 0);
  usleep(20000);
  pthread_cancel(t[0]);
  pthread_join(t[0], &r);
  printf("cancelled %d\n", r == PTHREAD_CANCELED);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  struct sigaction sa = {0};
  sa.sa_handler = jumps;
  sigaction(SIGUSR2, &sa, 0);
  int j = sigsetjmp(env, 1);
  if (!j) raise(SIGUSR2);
  printf("jump %d got %d\n", j, got);
  jmp_buf e2;
  volatile int c = 0;
  if ((j = setjmp(e2)) < 3) {
    c++;
    longjmp(e2, j + 1);
  }
  printf("%d %d\n", j, c);
  fflush(stdout);
  pid_t p = fork();
  if (!p) {
    char *q = malloc(100);
    strcpy(q, "in child");
    puts(q);
    free(q);
    exit(4);
  }
  int st;
  waitpid(p, &st, 0);
  printf("%d\n", WEXITSTATUS(st));
  fflush(stdout);
  p = vfork();
  if (!p) _exit(6);
  waitpid(p, &st, 0);
  printf("%d\n", WEXITSTATUS(st));
  fflush(stdout);
  char *av[] = {argv[0], "spawned", 0};
  posix_spawn(&p, "/proc/self/exe", 0, 0, av, environ);
  waitpid(p, &st, 0);
  printf("%d\n", WEXITSTATUS(st));
  fflush(stdout);
  system("echo sys");
  FILE *f = popen("echo piped", "r");
  char buf[100];
  fgets(buf, 100, f);
  pclose(f);
  fputs(buf, stdout);
  f = fopen("/proc/self/comm", "r");
  fgets(buf, 100, f);
  fclose(f);
  printf("%d\n", (int)strlen(buf) > 0);
  double x = argc * 0.5;
  printf("%.6f %.6f %.6f %.6f %.3Lf\n", sin(x), pow(x, 3.1), exp(x), fmod(7.3, x + 1.2), expl(x));
  char *names[] = {"pear", "apple", "fig", "date"};
  qsort(names, 4, sizeof *names, scmp);
  for (int i = 0; i < 4; i++) printf("%s ", names[i]);
  int (*volatile fp)(const char *, const char *) = strcmp;
  printf("%d\n", fp("a", "b") < 0);
  char *tok = strdup("a,b,,c");
  for (char *s = strtok(tok, ","); s; s = strtok(0, ",")) printf("[%s]", s);
  puts("");
  free(tok);
  void *m = 0;
  for (size_t n = 1; n < 3000000; n = n * 3 / 2 + 1) {
    m = realloc(m, n);
    memset(m, 1, n);
  }
  free(m);
  m = calloc(1000, 100);
  free(m);
  posix_memalign(&m, 256, 1000);
  free(m);
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  struct tm tm;
  time_t z = 0;
  gmtime_r(&z, &tm);
  strftime(buf, 100, "%Y-%m-%d", &tm);
  puts(buf);
  errno = 0;
  fopen("/nonexistent", "r");
  printf("%s\n", strerror(errno));
  long v;
  sscanf("12 34.5 abc", "%ld %lf %s", &v, &x, buf);
  printf("%ld %.2f %s\n", v, x, buf);
  return 9;
}
