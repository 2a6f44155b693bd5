// Allocators that hand out another pointer than malloc gave them: an item lies where they put it, and its accesses are, wherever that is, `id` and `value`
// in fill, and `value` in look.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  long id, value;
  char name[16];
};

// As SQLite's: the size stands before what is handed out.
__attribute__((noinline)) static void *size_allocate(size_t bytes) {
  int64_t *p = malloc(bytes + 8);
  if (p) {
    p[0] = (int64_t)bytes;
    p++;
  } else {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
  }
  return p;
}
__attribute__((noinline)) static void size_free(void *p) { free((int64_t *)p - 1); }

// A header that is a struct itself, and larger than what it stands before.
struct header {
  struct header *next;
  size_t bytes;
  long unused[6];
};
static struct header *newest;
__attribute__((noinline)) static void *header_allocate(size_t bytes) {
  struct header *header = malloc(sizeof *header + bytes);
  if (!header) return NULL;
  header->bytes = bytes;
  header->next = newest;
  newest = header;
  return header + 1;
}
__attribute__((noinline)) static void header_free(void *p) { free((struct header *)p - 1); }

// A wrapper of a wrapper, which calls something in between.
__attribute__((noinline)) static void *zero_allocate(size_t bytes) {
  void *p = size_allocate(bytes);
  if (p) memset(p, 0, bytes);
  return p;
}

// By how much it moves the pointer depends on the pointer.
__attribute__((noinline)) static void *aligned_allocate(size_t bytes) {
  char *raw = malloc(bytes + 64 + sizeof(void *));
  char *p = (char *)(((uintptr_t)raw + 64 + sizeof(void *)) & ~(uintptr_t)63);
  ((void **)p)[-1] = raw;
  return p;
}
__attribute__((noinline)) static void aligned_free(void *p) { free(((void **)p)[-1]); }

// Nobody follows the pointer through another function.
__attribute__((noinline)) static void *noted(void *p) {
  __asm__ volatile("" : : "r"(p) : "memory");
  return p;
}
__attribute__((noinline)) static void *noted_allocate(size_t bytes) { return noted(malloc(bytes)); }

// A function that knows the type, with the header in itself.
__attribute__((noinline)) static struct item *make_item(long extra) {
  char *raw = malloc(16 + sizeof(struct item) + extra);
  raw[0] = 1;
  return (struct item *)(raw + 16);
}
__attribute__((noinline)) static void unmake_item(void *p) { free((char *)p - 16); }

// Both ways out, by a flag.
__attribute__((noinline)) static void *either_allocate(size_t bytes, int with_header) {
  char *raw = malloc(bytes + 8);
  return with_header ? raw + 8 : raw;
}

__attribute__((noinline)) static void fill(struct item *item, long id) {
  item->id = id;
  item->value = 10 * id;
}

__attribute__((noinline)) static long look(const struct item *item) { return *(const volatile long *)&item->value; }

#define USE(how, allocate, release)                                                                 \
  __attribute__((noinline)) static long use_##how(long extra) {                                    \
    long sum = 0;                                                                                  \
    for (long i = 1; i <= 2; i++) {                                                                \
      struct item *item = allocate;                                                                \
      fill(item, i);                                                                               \
      sum += look(item);                                                                           \
      release;                                                                                     \
    }                                                                                              \
    return sum;                                                                                    \
  }
USE(size, size_allocate(sizeof *item + extra), size_free(item))
USE(header, header_allocate(sizeof *item + extra), header_free(item))
USE(zero, zero_allocate(sizeof *item + extra), size_free(item))
USE(aligned, aligned_allocate(sizeof *item + extra), aligned_free(item))
USE(noted, noted_allocate(sizeof *item + extra), free(item))
USE(either, either_allocate(sizeof *item + extra, i & 1), free((char *)item - (i & 1 ? 8 : 0)))
USE(made, make_item(extra), unmake_item(item))

// calloc says that it is an array; malloc does not.
#define USE_FOUR(how, allocate)                                                                    \
  __attribute__((noinline)) static void use_##how(void) {                                          \
    struct item *items = allocate;                                                                 \
    for (long i = 0; i < 4; i++) fill(&items[i], i);                                               \
    free(items);                                                                                   \
  }
USE_FOUR(counted, calloc(4, sizeof *items))
USE_FOUR(plain, malloc(4 * sizeof *items))

int main(int count, char **arguments) {
  if (count > 2) {
    for (int i = 0; i < 4; i++) {
      use_counted();
      use_plain();
    }
    return 0;
  }
  const long extra = count > 1 ? atol(arguments[1]) : 0; // bytes behind each item
  long sum = use_size(extra) + use_header(extra) + use_zero(extra) + use_aligned(extra) + use_noted(extra) + use_either(extra) + use_made(extra);
  printf("%ld\n", sum);
  return 0;
}
