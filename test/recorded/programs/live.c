// Lists of cells in bins, walked in random order: enough references for many chunks, quickly. What else happens is the first argument.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct cell {
  long key, value;
  struct cell *next;
};
struct bin {
  struct cell *first;
  long used;
};
enum { CELLS = 4000, BINS = 256 };
static struct bin bins[BINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(void) {
  for (long i = 0; i < CELLS; i++) {
    struct cell *cell = malloc(sizeof *cell);
    struct bin *bin = &bins[(i * 7919) % BINS];
    *cell = (struct cell){i, 0, bin->first};
    bin->first = cell;
    bin->used++;
  }
}

static void walk(long rounds) {
  unsigned long seed = 1;
  for (long i = 0; i < rounds; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    for (struct cell *cell = bins[(seed >> 40) % BINS].first; cell && cell->key != (long)((seed >> 33) % CELLS); cell = cell->next) cell->value++;
  }
}

static void *walk_locked(void *rounds) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    walk((long)rounds / 20);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static long nap_ms = 30;

static void *sleep_and_store(void *cell) {
  for (int i = 0; i < 5; i++) {
    pause_ms(nap_ms);
    ((struct cell *)cell)->value++;
  }
  return NULL;
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  long rounds = count > 2 ? atol(words[2]) : 20000;
  pthread_t threads[2];
  fill();
  walk(rounds);
  if (strcmp(mode, "slowly") == 0) {
    for (int i = 0, pauses = count > 3 ? atoi(words[3]) : 40; i < pauses; i++) {
      pause_ms(50);
      walk(rounds);
    }
  } else if (strcmp(mode, "stubborn") == 0) {
    signal(SIGINT, SIG_IGN);
    for (int i = 0; i < 100; i++) {
      pause_ms(50);
      walk(rounds);
    }
  } else if (strcmp(mode, "crash") == 0) {
    *(volatile long *)8 = 1;
  } else if (strcmp(mode, "fork") == 0) {
    if (fork() == 0) {
      walk(rounds / 2);
      _exit(0);
    }
    wait(NULL);
    walk(rounds);
  } else if (strcmp(mode, "exec") == 0) {
    execl(words[0], words[0], "alone", "1000", (char *)NULL);
  } else if (strcmp(mode, "threads") == 0) {
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, walk_locked, (void *)rounds);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(mode, "sleepers") == 0) {
    if (count > 3) nap_ms = atol(words[3]);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, sleep_and_store, bins[i].first);
    walk(rounds);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(mode, "plugin") == 0) {
    void *plugin = dlopen(words[3], RTLD_NOW);
    void (*turn)(long) = plugin ? (void (*)(long))dlsym(plugin, "turn") : NULL;
    if (!turn) return 3;
    turn(rounds);
    walk(rounds);
  }
  return 7;
}
