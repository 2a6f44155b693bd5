// Strings that end where memory does: nothing behind them may be looked at. Prints the accesses that the C library's manual says.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((char *)0x10000000)
#define END (PAGE + 4096)
#define CHECK(condition) ((condition) ? (void)0 : (printf("%d: %s\n", __LINE__, #condition), exit(1)))
#define HIDDEN(value) ({ __typeof__((value) + 0) hidden = (value); __asm__("" : "+r"(hidden)); hidden; })

static char expected[4096];
static size_t used;
static void expect(char kind, char *address, size_t bytes) {
  used += (size_t)snprintf(expected + used, sizeof expected - used, "0 %c %lx %zu\n", kind, (unsigned long)address, bytes);
}

int main(void) {
  mmap(PAGE, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  mprotect(END, 4096, PROT_NONE);
  static const char bytes[16] = "\001\0\001\0abcdabcdabc";
  int ends[2];
  if (pipe(ends) || write(ends[1], bytes, 16) != 16 || read(ends[0], END - 16, 16) != 16) return 1;
  char *end = HIDDEN(END);
  size_t huge = HIDDEN((size_t)-1);
  for (int i = 2; i <= 12; i++) {
    CHECK(strlen(end - i) == (size_t)i - 1);
    expect('r', end - i, (size_t)i);
  }
  CHECK(strlen(end - 15) == 0), expect('r', end - 15, 1); // behind a byte of one behind an end
  CHECK(strlen(end - 14) == 1), expect('r', end - 14, 2);
  CHECK(strnlen(end - 4, HIDDEN(3ul)) == 3), expect('r', end - 4, 3);
  CHECK(strnlen(end - 4, huge) == 3), expect('r', end - 4, 4);
  CHECK(strnlen(end, HIDDEN(0ul)) == 0);
  CHECK(memchr(end - 4, HIDDEN('c'), huge) == end - 2), expect('r', end - 4, 3);
  CHECK(memchr(end - 4, HIDDEN('c'), HIDDEN(100ul)) == end - 2), expect('r', end - 4, 3);
  CHECK(memchr(end - 4, HIDDEN('z'), HIDDEN(4ul)) == 0), expect('r', end - 4, 4);
  CHECK(memchr(end - 4, HIDDEN(0), HIDDEN(4ul)) == end - 1), expect('r', end - 4, 4);
  CHECK(strchr(end - 4, HIDDEN('z')) == 0), expect('r', end - 4, 4);
  CHECK(strncmp(end - 4, end - 8, huge) < 0), expect('r', end - 4, 4), expect('r', end - 8, 4);
  CHECK(memcmp(end - 4, end - 8, HIDDEN(3ul)) == 0), expect('r', end - 4, 3), expect('r', end - 8, 3);
  CHECK(strspn(end - 4, HIDDEN("cba")) == 3), expect('r', end - 4, 4);
  CHECK(strcspn(end - 8, HIDDEN("dx")) == 3), expect('r', end - 8, 4);
  CHECK(HIDDEN(strstr(end - 12, end - 4)) == end - 12), expect('r', end - 4, 4), expect('r', end - 12, 3);
  CHECK(strstr(end - 4, HIDDEN("bcd")) == 0), expect('r', end - 4, 4);
  CHECK(strstr(end - 12, HIDDEN("da")) == end - 9), expect('r', end - 12, 5);
  CHECK(strstr(end - 4, HIDDEN("abcdabcd")) == 0), expect('r', end - 4, 4);
  fputs(expected, stdout);
}
