// More threads than there are rings, all at once: what one allocates its neighbour frees.
#include <pthread.h>
#include "say.h"

struct token {
  long from, number;
};
enum { threads = 100, rounds = 1000 };

static struct token *volatile box[threads];
static pthread_barrier_t all_there;

static void *pass(void *argument) {
  long self = (long)argument;
  pthread_barrier_wait(&all_there);
  for (long i = 0; i < rounds; i++) {
    struct token *token = malloc(sizeof *token);
    token->number = i;
    if (i == rounds / 2) SAY(&token->number);
    while (!__sync_bool_compare_and_swap(&box[self], 0, token)) {
      struct token *mine = __sync_lock_test_and_set(&box[self], 0);
      free(mine);
    }
    free(__sync_lock_test_and_set(&box[(self + 1) % threads], 0));
  }
  return 0;
}

int main(void) {
  pthread_t thread[threads];
  pthread_barrier_init(&all_there, 0, threads);
  for (long i = 0; i < threads; i++) pthread_create(&thread[i], 0, pass, (void *)i);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], 0);
  for (int i = 0; i < threads; i++) free(box[i]);
  return 0;
}
