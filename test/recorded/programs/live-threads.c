// Threads that meet in many ways, sleep, come and go. Which way is the first argument, how much the second.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct item {
  long key, value;
  struct item *next;
};
enum { THREADS = 3, ITEMS = 512 };
static struct item table[THREADS][ITEMS];
static struct item *queue;
static long turn, produced, rounds;
static atomic_long taken, started;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t full, empty;
static int ends[2];

static void nap(long us) { nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }

static void work(long of, long times) {
  unsigned long seed = (unsigned long)of + 1;
  for (long i = 0; i < times; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    struct item *item = &table[of][(seed >> 40) % ITEMS];
    if (item->key != i) item->value++;
    item->key = i;
  }
}

// One after the other, through a mutex and a condition.
static void *take_turns(void *which) {
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&lock);
    while (turn % THREADS != (long)which) pthread_cond_wait(&changed, &lock);
    work((long)which, 200);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    work((long)which, 100);
  }
  return NULL;
}

// Memory of one thread is freed by another.
static void *produce(void *unused) {
  for (long i = 0; i < rounds; i++) {
    struct item *item = malloc(sizeof *item + (size_t)(i % 5) * 16);
    *item = (struct item){i, 0, NULL};
    pthread_mutex_lock(&lock);
    item->next = queue;
    queue = item;
    produced++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    work(0, 50);
    if (i % 64 == 0) nap(2000);
  }
  return unused;
}

static void *consume(void *which) {
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&lock);
    while (!queue) pthread_cond_wait(&changed, &lock);
    struct item *item = queue;
    queue = item->next;
    pthread_mutex_unlock(&lock);
    item->value += item->key;
    work((long)which, 80);
    free(item);
  }
  return NULL;
}

static void *through_semaphores(void *which) {
  for (long i = 0; i < rounds; i++) {
    sem_wait((long)which ? &full : &empty);
    work((long)which, 60);
    sem_post((long)which ? &empty : &full);
  }
  return NULL;
}

static void *meet(void *which) {
  for (long i = 0; i < rounds; i++) {
    work((long)which, 50 * ((long)which + 1));
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void *through_pipe(void *which) {
  char byte = 0;
  for (long i = 0; i < rounds; i++) {
    work((long)which, 40);
    if ((long)which) byte = (char)read(ends[0], &byte, 1);
    else byte = (char)write(ends[1], &byte, 1);
  }
  return NULL;
}

static void *read_and_write(void *which) {
  for (long i = 0; i < rounds; i++) {
    if (i % 8 == (long)which) pthread_rwlock_wrlock(&shared);
    else pthread_rwlock_rdlock(&shared);
    work((long)which, 30);
    pthread_rwlock_unlock(&shared);
  }
  return NULL;
}

// Nobody comes: the waits run out.
static void *wait_in_vain(void *which) {
  for (long i = 0; i < rounds; i++) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 3000000;
    if (until.tv_nsec >= 1000000000) until = (struct timespec){until.tv_sec + 1, until.tv_nsec - 1000000000};
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&changed, &lock, &until);
    work((long)which, 20);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void *spin(void *which) {
  for (long i = 0; i < rounds; i++) {
    while (atomic_load_explicit(&taken, memory_order_acquire) % THREADS != (long)which) sched_yield();
    work((long)which, 30);
    atomic_fetch_add_explicit(&taken, 1, memory_order_release);
  }
  return NULL;
}

static void *nap_and_work(void *which) {
  for (long i = 0; i < rounds; i++) {
    nap(20000 * ((long)which + 1));
    work((long)which, 300);
  }
  return NULL;
}

static void *work_once(void *which) {
  work((long)which, 500);
  return NULL;
}

static void on_signal(int number) {
  (void)number;
  work(1, 40);
}

// A handler runs while it waits for the lock.
static void *wait_and_be_interrupted(void *which) {
  atomic_fetch_add(&started, 1);
  pthread_mutex_lock(&lock);
  work((long)which, 100);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *crash(void *which) {
  work((long)which, rounds * 10);
  if ((long)which == 1) {
    nap(50000);
    *(volatile int *)8 = 1;
  }
  for (;;) nap(1000);
}

static void all(void *(*run)(void *), long count) {
  pthread_t threads[THREADS];
  for (long i = 0; i < count; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (long i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

int main(int count, char **words) {
  const char *how = words[1];
  rounds = count > 2 ? atol(words[2]) : 100;
  pthread_t threads[THREADS];
  if (strcmp(how, "turns") == 0) all(take_turns, THREADS);
  else if (strcmp(how, "queue") == 0) {
    pthread_create(&threads[0], NULL, produce, NULL);
    pthread_create(&threads[1], NULL, consume, (void *)1);
    work(2, rounds * 10);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "semaphores") == 0) {
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 4);
    all(through_semaphores, 2);
  } else if (strcmp(how, "barrier") == 0) {
    pthread_barrier_init(&barrier, NULL, THREADS);
    all(meet, THREADS);
  } else if (strcmp(how, "pipe") == 0) {
    if (pipe(ends)) return 1;
    all(through_pipe, 2);
  } else if (strcmp(how, "readers") == 0) all(read_and_write, THREADS);
  else if (strcmp(how, "timeouts") == 0) all(wait_in_vain, 2);
  else if (strcmp(how, "spin") == 0) all(spin, THREADS);
  else if (strcmp(how, "naps") == 0) {
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, nap_and_work, (void *)i);
    work(0, rounds * 1000);
    for (long i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "waves") == 0) {
    for (long wave = 0; wave < rounds; wave++) {
      all(work_once, 1 + wave % THREADS);
      if (wave % 8 == 0) nap(15000);
    }
  } else if (strcmp(how, "handler") == 0) {
    signal(SIGUSR2, on_signal);
    for (long round = 0; round < rounds; round++) {
      atomic_store(&started, 0);
      pthread_mutex_lock(&lock);
      pthread_create(&threads[0], NULL, wait_and_be_interrupted, (void *)0);
      while (!atomic_load(&started)) sched_yield();
      nap(40000);
      work(2, 2000);
      pthread_kill(threads[0], SIGUSR2);
      nap(40000);
      work(2, 2000);
      pthread_mutex_unlock(&lock);
      pthread_join(threads[0], NULL);
    }
  } else if (strcmp(how, "crash") == 0) all(crash, THREADS);
  return 7;
}
