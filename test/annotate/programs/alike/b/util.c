#define WIDE
#include <stdlib.h>
#include "shared.h"
/* a line more */
struct node { struct node *next; double value; };
struct shared second;
struct varies wide;
long run_b(int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) { struct node *one = malloc(sizeof *one); one->next = head; one->value = i; head = one; }
  double sum = 0;
  while (head) { struct node *next = head->next; sum += head->value; free(head); head = next; }
  second.misses += (long)sum; wide.words[7] = n;
  return (long)sum;
}
