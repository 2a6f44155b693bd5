// A hash join: customers go into a table of chains by their number, and each order looks its customer up.
// Arguments: how many orders, how many customers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct customer {
  struct customer *next; // of the same bucket
  uint32_t number, region;
  long spent;
};

struct order {
  uint32_t customer, amount;
};

enum { ORDERS = 1 << 20 }; // in memory at a time; a longer join goes through them again

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32) % below;
}

static uint32_t bucket_of(uint32_t number, uint32_t buckets) { return (number * 2654435761u >> 7) & (buckets - 1); }

int main(int argc, char **argv) {
  long orders = argc > 1 ? atol(argv[1]) : 1000000;
  uint32_t customers = argc > 2 ? (uint32_t)atol(argv[2]) : 100000, buckets = 1;
  while (buckets < customers) buckets *= 2;
  struct customer **table = calloc(buckets, sizeof *table), *rows = malloc(customers * sizeof *rows);
  for (uint32_t i = 0; i < customers; i++) {
    struct customer **head = &table[bucket_of(i * 3, buckets)];
    rows[i] = (struct customer){*head, i * 3, draw(16), 0};
    *head = &rows[i];
  }
  long kept = orders < ORDERS ? orders : ORDERS;
  struct order *list = malloc((size_t)kept * sizeof *list);
  // A quarter of the orders are of nobody.
  for (long i = 0; i < kept; i++) list[i] = (struct order){draw(customers) * 3 + (draw(4) == 0), draw(1000)};
  long met = 0, regions[16] = {0};
  for (long i = 0; i < orders; i++) {
    const struct order *order = &list[i % kept];
    struct customer *at = table[bucket_of(order->customer, buckets)];
    while (at && at->number != order->customer) at = at->next;
    if (!at) continue;
    at->spent += order->amount;
    regions[at->region] += order->amount;
    met++;
  }
  printf("%ld %ld\n", met, regions[7]);
  free(list);
  free(rows);
  free(table);
}
