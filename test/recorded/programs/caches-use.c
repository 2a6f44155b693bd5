// Uses caches whose structs it does not know.
#include "caches.h"
struct sock *(*volatile by_pointer)(struct shop *shop);

// The receiver is a struct sock; what it is, the shop's name says.
__attribute__((noinline)) static struct sock *sell(struct shop *shop) {
  struct sock *sk = cache_alloc(shop->slab, 0);
  sk->family = 1;
  return sk;
}

int main(void) {
  struct cache *udp = cache_make("UDP", sizeof(struct udp_sock)),
               *buffers = cache_make("buffers", sizeof(struct buffer));
  struct cache *raw = cache_make("RAW", sizeof(struct sock));
  struct shop shop = {{"UDP", sizeof(struct udp_sock)}, udp};
  struct udp_sock *sold = (struct udp_sock *)sell(&shop);
  sold->pending = 1;
  by_pointer = sell;
  by_pointer(&shop)->next = &sold->sk;
  struct shop other = {{"RAW", sizeof(struct sock)}, raw};
  sell(&other);
  struct buffer *one = cache_alloc(buffers, 0);
  one->length = 3;
  if (cache_alloc(NULL, 0) || cache_alloc(buffers, -1)) return 1;
  void *many[5];
  if (cache_alloc_bulk(buffers, -1, 5, many) || cache_alloc_bulk(buffers, 0, 5, many) != 5) return 2;
  for (int i = 0; i < 5; i++) ((struct buffer *)many[i])->length = i;
  cache_free_bulk(buffers, 4, many);
  cache_free(buffers, one);

  struct page *two = take_pages(0, 1), *none = take_pages(-1, 1);
  if (none) return 3;
  char *memory = (char *)(page_memory + 4096 * (two - page_table));
  for (int i = 0; i < 8192; i += 64) memory[i] = 1;
  *(long *)take_page_address(0) = 2;
  if (take_page_address(-1)) return 4;
  unsigned long single = take_page_address(0);
  give_page_address(single, 0);
  give_pages(two, 1);
  return 0;
}
