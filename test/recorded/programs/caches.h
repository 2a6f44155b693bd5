// Caches of objects as a kernel has them. Only caches.c knows what a cache is.
#include <stddef.h>
struct cache;
struct sock {
  int family;
  struct sock *next;
};
struct udp_sock {
  struct sock sk;
  long pending;
  char corked[40];
};
struct buffer {
  struct buffer *next;
  char *data;
  int length;
};
struct shop {
  struct {
    const char *name;
    unsigned short object;
  };
  struct cache *slab;
};
struct page {
  unsigned long flags;
  struct page *next;
};

struct cache *cache_make(const char *name, unsigned size);
void *cache_alloc(struct cache *cache, int flags);
void cache_free(struct cache *cache, void *object);
size_t cache_alloc_bulk(struct cache *cache, int flags, size_t count, void **objects);
void cache_free_bulk(struct cache *cache, size_t count, void **objects);

extern struct page *page_table;
extern unsigned long page_memory;
struct page *take_pages(int flags, unsigned order);
void give_pages(struct page *page, unsigned order);
unsigned long take_page_address(int flags);
void give_page_address(unsigned long address, unsigned order);
