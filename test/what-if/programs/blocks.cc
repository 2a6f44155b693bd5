// Objects and arrays of C++, whose library has a block of its own in the heap before the program has any.
#include <cstdio>

struct node {
  volatile long value = 1;
  volatile int uses = 0;
#ifdef CHANGED
  char padding[24];
#endif
  ~node() { uses = 0; }
};

int main() {
  node *nodes[40];
  for (int i = 0; i < 40; i++) nodes[i] = new node[3 + i % 4];
  long sum = 0;
  for (int round = 0; round < 9; round++)
    for (int i = 0; i < 40; i++) {
      nodes[i][round % 3].uses = round;
      sum += nodes[i * 7 % 40][round % 3].value;
    }
  for (int i = 0; i < 40; i += 2) delete[] nodes[i];
  std::printf("%ld\n", sum);
}
