// glibc's obstacks: macros that move a pointer in a chunk. dprof.h says what they made.
#include <dprof.h>
#include <obstack.h>
#include <stdlib.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
struct node { struct node *next; long key; };
int main(void) {
  struct obstack stack;
  struct node *list = 0;
  obstack_init(&stack);
  for (int i = 0; i < 400; i++) { // more than one chunk
    struct node *made = obstack_alloc(&stack, sizeof *made);
    dprof_alloc(made, sizeof *made, "struct node");
    made->next = list;
    list = made;
  }
  obstack_free(&stack, 0);
  return 0;
}
