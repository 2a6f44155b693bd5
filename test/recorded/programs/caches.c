// The allocators of caches.h: objects of a size and type that the cache knows, pages behind an array of structs.
#include "caches.h"
#include <stdlib.h>
#include <string.h>
struct cache {
  unsigned flags;
  struct {
    unsigned object;
    unsigned whole;
  } size;
  char name[16];
  const char *title;
};
enum { PAGE = 4096, PAGES = 16 };
static char *region;
static size_t used;
static struct page table[PAGES];
static unsigned next_page = 1;
struct page *page_table = table;
unsigned long page_memory;

static void *cut(size_t bytes) {
  if (!region) region = malloc(1 << 16);
  void *at = region + used;
  used += (bytes + 15) & ~(size_t)15;
  return at;
}

struct cache *cache_make(const char *name, unsigned size) {
  struct cache *made = malloc(sizeof *made);
  made->size.object = size;
  strcpy(made->name, name);
  made->title = made->name;
  return made;
}

__attribute__((noinline)) void *cache_alloc(struct cache *cache, int flags) {
  if (!cache || flags < 0) return NULL;
  return cut(cache->size.object);
}
__attribute__((noinline)) void cache_free(struct cache *cache, void *object) {
  cache->flags++;
  *(volatile char *)object = 0;
}
__attribute__((noinline)) size_t cache_alloc_bulk(struct cache *cache, int flags, size_t count, void **objects) {
  if (flags < 0) return 0;
  for (size_t i = 0; i < count; i++) objects[i] = cut(cache->size.object);
  return count;
}
__attribute__((noinline)) void cache_free_bulk(struct cache *cache, size_t count, void **objects) {
  for (size_t i = 0; i < count; i++) *(volatile char *)objects[i] = 1;
  cache->flags++;
}

__attribute__((noinline)) struct page *take_pages(int flags, unsigned order) {
  if (!page_memory) page_memory = (unsigned long)aligned_alloc(PAGE, PAGE * PAGES);
  struct page *first = page_table + next_page;
  if (flags < 0) return NULL;
  next_page += 1u << order;
  return first;
}
__attribute__((noinline)) void give_pages(struct page *page, unsigned order) { page->flags = order; }
__attribute__((noinline)) unsigned long take_page_address(int flags) {
  if (flags < 0) return 0;
  return page_memory + PAGE * next_page++;
}
__attribute__((noinline)) void give_page_address(unsigned long address, unsigned order) {
  page_table[(address - page_memory) / PAGE].flags = order;
}
