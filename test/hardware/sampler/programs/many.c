// A thousand nodes that live at a time, a hundred thousand in all.
#include <stdlib.h>

struct node {
  long value;
  struct node *next[3];
};
enum { live = 1000, all = 100000 };

int main(void) {
  static struct node *held[live];
  for (int i = 0; i < all; i++) {
    struct node **at = &held[i * 7919L % live];
    free(*at);
    struct node *node = malloc(sizeof *node);
    node->value = i;
    *at = node;
  }
  return 0;
}
