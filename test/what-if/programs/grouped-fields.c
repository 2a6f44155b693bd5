// Fields of two structs, and a variable, that are used together; or all three side by side.
#include <stdio.h>

#ifdef CHANGED
struct used {
  int limit;
  long hits, misses;
  volatile long sum;
};
volatile struct used used __attribute__((aligned(64))) = {40, 0, 0, 1};
#define LIMIT used.limit
#define HITS used.hits
#define MISSES used.misses
#define SUM used.sum
#else
#define LIMIT config.limit
#define HITS state.hits
#define MISSES state.misses
#define SUM sum
#endif

struct config {
  char name[200];
#ifndef CHANGED
  int limit;
#endif
  int kind;
};
struct state {
#ifndef CHANGED
  long hits;
#endif
  char text[300];
#ifndef CHANGED
  long misses;
#endif
  long last;
};

volatile struct config config = {.name = "a", .kind = 1};
volatile char places[5000] = "b";
volatile struct state state = {.text = "c", .last = 2};
#ifndef CHANGED
volatile long sum = 1;
#endif

int main(void) {
#ifndef CHANGED
  config.limit = 40;
#else
  used.limit = 40;
#endif
  for (int i = 0; i < 3000; i++) {
    if (places[i] < LIMIT)
      HITS++;
    else
      MISSES++;
    SUM += config.name[i % 200] + state.text[i % 300];
  }
  state.last = config.kind;
  printf("%ld\n", HITS + MISSES + SUM + state.last);
}
