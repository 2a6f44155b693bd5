// Words in an obstack, which cuts them out of blocks of the heap, between nodes that get smaller: the blocks move, and
// the words with them.
#include <dprof.h>
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

#ifdef CHANGED
struct node {
  struct node *next;
  int *word;
  char kind, flag;
};
#else
struct node {
  char kind;
  struct node *next;
  char flag;
  int *word;
};
#endif

int main(void) {
  struct obstack words;
  obstack_init(&words);
  struct node *first = NULL;
  for (int i = 0; i < 1500; i++) {
    struct node *node = malloc(sizeof *node);
    node->kind = (char)(i % 5);
    node->flag = 1;
    node->next = first;
    const size_t bytes = sizeof(int) * (size_t)(4 + i % 9);
    node->word = obstack_alloc(&words, bytes);
    dprof_alloc(node->word, bytes, "int");
    for (int k = 0; k < 4 + i % 9; k++) node->word[k] = i;
    first = node;
  }
  long sum = 0;
  for (int round = 0; round < 6; round++)
    for (struct node *node = first; node; node = node->next)
      if (node->kind != round) sum += node->word[2] + node->flag;
  printf("%ld\n", sum);
  obstack_free(&words, NULL);
  return 0;
}
