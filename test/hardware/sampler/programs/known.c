// known MODE [N]: accesses and first touches of pages that are known by construction.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGE_LONGS = PAGE / sizeof(long) };
struct grid { long cells[64 * PAGE_LONGS]; };
struct strip { long head[PAGE_LONGS]; long cells[15 * PAGE_LONGS]; };
struct board { long squares[8 * PAGE_LONGS]; };
struct tally { long other; long counter; };

static struct board board __attribute__((aligned(PAGE)));
struct tally tally __attribute__((aligned(64)));

__attribute__((noinline)) static void touch(long *cells, long pages) {
  for (long i = 0; i < pages; i++) ((volatile long *)cells)[i * PAGE_LONGS] = 1;
}

__attribute__((noinline)) static void fill_grid(void) {
  struct grid *grid = aligned_alloc(PAGE, sizeof *grid);
  touch(grid->cells, 64);
  free(grid);
}

__attribute__((noinline)) static void fill_strip(void) {
  struct strip *strip = aligned_alloc(PAGE, sizeof *strip);
  touch(strip->head, 16);
}

// One load and one store of the counter for each.
__attribute__((noinline)) void count(long times) {
  volatile long *counter = &tally.counter;
  for (long i = 0; i < times; i++) *counter = *counter + 1;
}

static void *count_on_thread(void *times) {
  prctl(PR_SET_NAME, "counter");
  count((long)times);
  return 0;
}

int main(int words, char **word) {
  const char *mode = word[1];
  long n = words > 2 ? atol(word[2]) : 0;
  if (!strcmp(mode, "pages")) {
    fill_grid();
    for (int i = 0; i < 3; i++) fill_strip();
    touch(board.squares, 8);
  } else if (!strcmp(mode, "count")) {
    count(n);
  } else if (!strcmp(mode, "threads")) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, count_on_thread, (void *)n);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  } else if (!strcmp(mode, "fork")) {
    pid_t child = fork();
    count(child ? n : 2 * n);
    if (!child) _exit(0);
    waitpid(child, 0, 0);
  } else if (!strcmp(mode, "exec")) {
    count(n);
    execl(word[0], word[0], "count", word[2], (char *)0);
  } else if (!strcmp(mode, "kill")) {
    count(n);
    kill(getpid(), SIGKILL);
  } else if (!strcmp(mode, "stop")) { // the sampler reads nothing meanwhile
    kill(getppid(), SIGSTOP);
    count(n);
    kill(getppid(), SIGCONT);
    count(1);
  } else if (!strcmp(mode, "orphan")) {
    kill(getppid(), SIGKILL);
    usleep(50000);
    puts("went on");
  } else if (!strcmp(mode, "spin")) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
      pthread_create(&threads[i], 0, count_on_thread, (void *)n);
      usleep(100000); // long enough for the sampler to see each thread come, on a loaded machine too
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  }
  return 3;
}
