// Accesses that a register and a trace do not see alike: updates, block operations, the C library, the kernel, two stores that become one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdatomic.h>
#include <pthread.h>

struct record {
  volatile long count;    // 0
  char name[16];          // 8
  atomic_long users;      // 24
  char text[24];          // 32
  volatile int low, high; // 56, 60
};
#define NOINLINE __attribute__((noinline))
NOINLINE void count(struct record *r) { r->count++; }
NOINLINE void add(long *p, long n) { *p += n; }
NOINLINE void name(struct record *r, const char *s) { memcpy(r->name, s, 16); }
NOINLINE void clear(struct record *r) { memset(r, 0, sizeof *r); }
NOINLINE long length(struct record *r) { return (long)strlen(r->text); }
NOINLINE long found(struct record *r, const char *s) { return strstr(r->text, s) - r->text; }
NOINLINE void fill(struct record *r, int file) { if (read(file, r->text, 20) < 0) abort(); }
NOINLINE void use(struct record *r) { atomic_fetch_add(&r->users, 1); }
NOINLINE void both(struct record *r) { r->low = 1; r->high = 2; }
NOINLINE void by_hand(struct record *r) { __asm__ volatile("movl $7, %0" : "=m"(r->high)); }
#ifdef OTHERS
void elsewhere(struct record *r);
#endif
static void *other(void *r) { for (int i = 0; i < 3; i++) use(r); return 0; }

int main(void) {
  int pipe_ends[2];
  if (pipe(pipe_ends)) return 1;
  long sum = 0;
  for (int i = 0; i < 2; i++) {
    struct record *r = malloc(sizeof *r);
    clear(r);
    name(r, "0123456789abcde");
    count(r); count(r);
    add((long *)&r->count, 3);
    if (write(pipe_ends[1], "the text is here, so", 20) != 20) return 1;
    fill(r, pipe_ends[0]);
    sum += length(r);
    sum += found(r, "here");
    pthread_t t;
    pthread_create(&t, 0, other, r);
    use(r);
    pthread_join(t, 0);
    both(r);
    by_hand(r);
#ifdef OTHERS
    elsewhere(r); // built by another compiler
#endif
    sum += r->count;
    free(r);
  }
  printf("%ld\n", sum);
}
