// Stage: tests of the plugin. Runs a random module: maps and fills the memory that it works on, then prints what it
// gave, a sum over what it left in memory, and (for who compares references) where its globals and stack variables
// were. Compiled by clang, not dprof-cc.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ARENA ((unsigned char *)0x10000000)
enum { DATA = 16384, DOUBLES = 2048, FLOATS = 2048, POINTERS = 1024, HOLES = 4096, POINTED = 512 };

struct place { void *at; uint64_t bytes; };
extern const struct place globals[];
extern const uint64_t global_count;
uint64_t entry(void *arena);

static const void *noted[1 << 16];
static unsigned notes;

void note(const void *at) {
  if (notes == sizeof noted / sizeof *noted)
    abort();
  noted[notes++] = at;
}

static uint32_t sum(uint32_t so_far, const unsigned char *at, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    so_far = (so_far ^ at[i]) * 16777619u;
  return so_far;
}

int main(void) {
  if (mmap(ARENA, DATA + DOUBLES + FLOATS + POINTERS + HOLES, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != ARENA)
    return 99;
  uint32_t state = 1;
  for (unsigned i = 0; i < DATA; ++i)
    ARENA[i] = (state = state * 1664525u + 1013904223u) >> 24;
  for (unsigned i = 0; i < DOUBLES / 8; ++i)
    ((double *)(ARENA + DATA))[i] = ((int)(i * 37 % 101) - 50) / 4.0;
  for (unsigned i = 0; i < FLOATS / 4; ++i)
    ((float *)(ARENA + DATA + DOUBLES))[i] = ((int)(i * 37 % 101) - 50) / 4.0f;
  for (unsigned i = 0; i < POINTERS / 8; ++i)
    ((void **)(ARENA + DATA + DOUBLES + FLOATS))[i] = ARENA + (i * 712 % (DATA - POINTED) & ~7u);
  uint64_t given = entry(ARENA);
  uint32_t left = sum(2166136261u, ARENA, DATA + DOUBLES + FLOATS + POINTERS);
  for (uint64_t i = 0; i < global_count; ++i)
    left = sum(left, globals[i].at, globals[i].bytes);
  printf("result %llx %08x\n", (unsigned long long)given, left);
  for (uint64_t i = 0; i < global_count; ++i)
    printf("global %llx\n", (unsigned long long)(uintptr_t)globals[i].at);
  for (unsigned i = 0; i < notes; ++i)
    printf("note %llx\n", (unsigned long long)(uintptr_t)noted[i]);
  return 0;
}
