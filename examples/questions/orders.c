// Orders of customers, added up by two threads: what docs/sql.md asks about. Each thread counts in a counter of its
// own, and both counters lie on one cache line.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct customer {
  long number, spent;
  char name[112];
};

struct order {
  struct order *next;
  struct customer *of;
  long amount;
};

enum { CUSTOMERS = 1000, ORDERS = 20000 };

static struct customer *customers;
static struct order *orders[2];
static long counted[2];

static void add(struct order **list, long number) {
  struct order *order = malloc(sizeof *order);
  order->next = *list;
  order->of = &customers[number * 7919 % CUSTOMERS];
  order->amount = number % 100;
  *list = order;
}

static void *sum(void *which) {
  const long thread = (long)which;
  for (struct order *order = orders[thread]; order; order = order->next) counted[thread] += order->amount;
  return NULL;
}

int main(void) {
  customers = calloc(CUSTOMERS, sizeof *customers);
  for (long i = 0; i < CUSTOMERS; i++) customers[i].number = i;
  for (long i = 0; i < ORDERS; i++) add(&orders[i % 2], i);
  for (int list = 0; list < 2; list++)
    for (struct order *order = orders[list]; order; order = order->next) order->of->spent += order->amount;
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, sum, (void *)i);
  for (long i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", counted[0] + counted[1]);
  return 0;
}
