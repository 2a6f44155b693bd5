// Two threads with a spinlock of the program's own, a lock whose functions are not inlined, and a semaphore for a lock.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { ROUNDS = 500 };

struct spin {
  atomic_int taken;
};
static struct account {
  struct spin guard;
  long balance;
} account;

static inline void spin_lock(struct spin *lock) {
  while (atomic_exchange(&lock->taken, 1)) {
  }
}
static inline int spin_try(struct spin *lock) { return !atomic_exchange(&lock->taken, 1); }
static inline void spin_unlock(struct spin *lock) { atomic_store(&lock->taken, 0); }

struct light {
  atomic_int state;
};
static struct table {
  long entries[8];
  struct light lock;
} table;

__attribute__((noinline)) int LightAcquire(int mode, struct light *lock) {
  int waited = 0;
  int expected = 0;
  while (!atomic_compare_exchange_weak(&lock->state, &expected, mode)) {
    expected = 0;
    waited = 1;
  }
  return !waited;
}
__attribute__((noinline)) void LightRelease(struct light *lock) { atomic_store(&lock->state, 0); }

static sem_t gate;

static void *work(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    spin_lock(&account.guard);
    account.balance++;
    spin_unlock(&account.guard);
    LightAcquire(1, &table.lock);
    table.entries[i % 8]++;
    LightRelease(&table.lock);
    sem_wait(&gate);
    table.entries[i % 8]--;
    sem_post(&gate);
  }
  return unused;
}

int main(void) {
  // Another thread's turn comes later: this one has it, and a second try fails.
  int first = spin_try(&account.guard), second = spin_try(&account.guard);
  spin_unlock(&account.guard);
  sem_init(&gate, 0, 1);
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  work(0);
  pthread_join(other, 0);
  return !(first && !second && account.balance == 2 * ROUNDS);
}
