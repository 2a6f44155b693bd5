// A slab clears its objects before it hands them out. Stacks and owners are only stored, in a field.
#include <stdlib.h>
#include <string.h>
struct sock {
  struct sock *next;
  int family;
};
struct udp_sock {
  struct sock sk;
  long pending[6];
};
struct raw_sock {
  struct sock sk;
  long filter[6];
};
struct node {
  long key[8];
};
struct owner {
  long id[8];
};
struct slab {
  unsigned object;
  const char *name;
  char *memory;
};
struct protocol {
  const char *name;
  struct slab *slab;
};
struct task {
  long state;
  void *stack;
  struct task *made;
  struct owner *owner;
};

static _Alignas(64) char arena[64];

static inline void clear_objects(struct slab *slab, size_t count, void **objects) {
  for (size_t i = 0; i < count; i++)
    if (objects[i]) memset(objects[i], 0, slab->object);
}

__attribute__((noinline)) void *slab_take(struct slab *slab) {
  void *object = slab->memory;
  slab->memory += slab->object;
  clear_objects(slab, 1, &object);
  return object;
}
static inline void *slab_take_sized(struct slab *slab, size_t bytes) {
  return bytes > slab->object ? NULL : slab_take(slab);
}
__attribute__((noinline)) struct sock *sock_make(struct protocol *protocol) {
  struct sock *sk = slab_take(protocol->slab);
  sk->family = 2;
  return sk;
}
__attribute__((noinline)) int make_stack(struct task *task, int fails) {
  if (fails) return -12;
  task->stack = aligned_alloc(64, 512);
  return 0;
}
__attribute__((noinline)) void make_owner(struct task *task) { task->made->owner = (struct owner *)arena; }

static struct slab slab_of(unsigned bytes, const char *name) {
  return (struct slab){bytes, name, aligned_alloc(64, 64 * (size_t)bytes)};
}

int main(void) {
  struct slab udp = slab_of(sizeof(struct udp_sock), "UDP"), plain = slab_of(64, "size-64");
  struct protocol protocols[] = {{"UDP", &udp}, {"RAW", &plain}, {"OTHER", &plain}};
  for (int i = 0; i < 3; i++) sock_make(&protocols[i])->next = NULL;
  struct node *node = slab_take_sized(&plain, sizeof *node);
  node->key[7] = 1;
  if (slab_take_sized(&plain, 100)) return 1;
  void *two[2] = {udp.memory, udp.memory + udp.object};
  clear_objects(&udp, 2, two);
  struct task *tasks = calloc(2, sizeof *tasks);
  if (make_stack(&tasks[0], 0) || !make_stack(&tasks[1], 1)) return 2;
  memset(tasks[0].stack, 1, 512);
  tasks[0].made = &tasks[1];
  make_owner(&tasks[0]);
  tasks[1].owner->id[3] = 1;
  return 0;
}
