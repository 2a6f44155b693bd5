// examples/questions/orders.c, ROUNDS times: each round gives back what it took.
#define main once
#include "orders.c"
#undef main

int main(void) {
  for (int round = 0; round < ROUNDS; round++) {
    once();
    for (int list = 0; list < 2; list++)
      for (struct order *order = orders[list], *next; order; order = next) next = order->next, free(order);
    free(customers);
    orders[0] = orders[1] = NULL;
  }
  return 0;
}
