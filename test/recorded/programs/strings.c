// String functions of libc, each with the references that its definition makes of it.
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

struct entry {
  char key[16];
  char name[48];
};

char *volatile hidden;
#define OPAQUE(p) (hidden = (p), hidden)

int main(void) {
  char *arena = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  char *a = OPAQUE(arena), *b = OPAQUE(arena + 0x100), *c = OPAQUE(arena + 0x200);
  struct entry *e = (struct entry *)OPAQUE(arena + 0x400);
  volatile size_t n;
  volatile int r;
  const char *volatile p;
  a[0] = 'a', a[1] = 'b', a[2] = 'c', a[3] = 'd', a[4] = 0;
  memset(b, 'x', 100);
  n = strlen(a);              // 5
  n = strnlen(b, 7);          // 7
  n = strnlen(a, 50);         // 5
  strcpy(b, a);               // 5 and 5
  p = stpcpy(b + 8, a);       // 5 and 5
  strncpy(c, a, 20);          // 5 and 5, and 15 zeros
  strncpy(c, a, 2);           // 2 and 2
  strcat(c, a);               // c is "abcd": 5, 5, and 5 from c + 4 on
  strncat(c, a, 2);           // c is "abcdabcd": 9, 2, and 3 from c + 8 on
  r = strcmp(a, b);           // equal: 5 and 5
  r = strcmp(a, "abX");       // 3 and 3
  r = strncmp(a, b, 2);       // 2 and 2
  r = strcasecmp(a, "ABCD");  // 5 and 5
  r = memcmp(a, b, 5);        // 5 and 5
  p = strchr(a, 'c');         // 3
  p = strchr(a, 'z');         // 5
  p = strrchr(a, 'b');        // 5
  p = memchr(a, 'b', 100);    // 2
  n = strspn(a, "ab");        // 3, 3
  n = strcspn(a, "dc");       // 3, 3
  p = strpbrk(a, "dz");      // 3, 4
  p = strstr(c, "cda");       // 4, 5
  strcpy(e->name, a);         // 5 and 5, a field
  n = strlen(e->key);         // 1
  __builtin___strcpy_chk(b, a, 50 + n);      // 5 and 5
  __builtin___strncpy_chk(c, a, 2, 50 + n);  // 2 and 2
  (void)n, (void)r, (void)p;
  return 0;
}
