// Records with numbers that need fewer bytes than they have.
#include <stdio.h>
#include <stdlib.h>

struct record {
#ifdef CHANGED
  unsigned char kind;
  unsigned short weight;
#else
  unsigned long kind;
  unsigned int weight;
#endif
  int key;
  struct record *next;
};

int main(void) {
  struct record *first = NULL;
  for (int i = 0; i < 2000; i++) {
    struct record *made = malloc(sizeof *made);
    made->kind = i % 7;
    made->weight = i % 1000;
    made->key = i;
    made->next = first;
    first = made;
  }
  long sum = 0;
  for (int round = 0; round < 5; round++)
    for (struct record *at = first; at; at = at->next) sum += at->kind * at->weight + at->key;
  printf("%ld\n", sum);
}
