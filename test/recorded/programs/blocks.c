// Blocks that run known numbers of times: in loops with and without references, behind a jump table, in a function that
// returns early, in one that calls in its tail, in one that begins in a loop, behind a longjmp.
#include <setjmp.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

NOINLINE unsigned spin(unsigned x) { // no reference: (x + 1) / 2 times
  unsigned rounds = 0;
  while (x > 1) {
    x -= 2;
    rounds ^= x * 2654435761u;
  }
  return rounds;
}

NOINLINE unsigned choose(const unsigned char *codes, int count) { // a jump table
  unsigned sum = 1;
  for (int i = 0; i < count; i++) switch (codes[i]) {
      case 0: sum += 3; break;
      case 1: sum *= 5; break;
      case 2: sum ^= 7; break;
      case 3: sum -= codes[0]; break;
      case 4: sum = sum << 3 | sum >> 29; break;
      case 5: sum %= 1000003; break;
      default: sum += codes[i];
    }
  return sum;
}

NOINLINE int find(const int *values, int count, int wanted) {
  for (int i = 0; i < count; i++)
    if (values[i] == wanted) return i;
  return -1;
}

NOINLINE long apply(long (*call)(long), long value) { return call(value + 1); } // a jump, not a call

struct node {
  const struct node *next;
  int value;
};
NOINLINE int last(const struct node *node, int more) {
  while (node->next) node = node->next;
  return node->value + more;
}

static jmp_buf back;
NOINLINE void leave(int number) {
  if (number % 3 == 0) longjmp(back, 1);
}

int main(void) {
  unsigned char codes[700];
  int values[100];
  volatile unsigned sum = spin(2001); // 1,000 times
  for (int i = 0; i < 700; i++) codes[i] = (unsigned char)(i % 7);
  for (int i = 0; i < 100; i++) values[i] = i;
  sum += choose(codes, 700);
  for (int i = 0; i < 50; i++) sum += (unsigned)find(values, 100, i); // 1,275 comparisons
  for (int i = 0; i < 20; i++) sum += (unsigned)apply(labs, -i);
  struct node nodes[30] = {{0, 1}};
  for (int i = 1; i < 30; i++) nodes[i].next = &nodes[i - 1];
  for (int i = 0; i < 4; i++) sum += (unsigned)last(&nodes[29], (int)sum); // 4 times 29 steps
  for (volatile int i = 1; i <= 9; i++)
    if (setjmp(back) == 0) leave(i);
  return sum == 0;
}
