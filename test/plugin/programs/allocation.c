// Allocation calls say what they allocate, where the variable or field that receives the memory does.
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct item { long a, b; };
struct packet { int length; char bytes[]; };
struct holder { struct item *items; };
static struct holder holder;
static void *volatile keep;

__attribute__((noinline)) static struct item *make(void) {
  return malloc(sizeof(struct item)); // allocation memory bytes=16: struct item
}

int main(int argc, char **argv) {
  struct item *one = make();
  holder.items = calloc(3, sizeof *holder.items);       // allocation memory bytes=48: struct item .holder.items
  struct packet *packet = malloc(sizeof *packet + 5);   // allocation memory bytes=9: struct packet .packet
  double *doubles = malloc(argc * 8 * sizeof *doubles); // allocation memory bytes=64: double[] .doubles
  char *text = malloc(16);                              // allocation memory bytes=16: .text
  keep = text;
  keep = malloc(24);                                    // allocation memory bytes=24: .keep
  struct item *odd = malloc(20);                        // allocation memory bytes=20: .odd
  struct item *aligned = aligned_alloc(64, 64);         // allocation memory bytes=64: struct item .aligned
  struct item *posix;
  if (posix_memalign((void **)&posix, 64, 32))          // allocation memory bytes=32: struct item .posix
    return 1;
  holder.items = realloc(holder.items, 6 * sizeof(struct item)); // allocation memory bytes=96: struct item .holder.items
  char *copy = strdup("copy");                          // allocation memory bytes=0: .copy
  void *pages = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0); // allocation memory bytes=4096: .pages
  keep = one, keep = packet, keep = doubles, keep = odd, keep = aligned, keep = posix, keep = copy;
  free(posix);         // free
  munmap(pages, 4096); // free
  return argv == 0;
}
