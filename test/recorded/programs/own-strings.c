// Has string functions of its own, by the C library's names, and prints how often they are called.
#include <stddef.h>
#include <stdio.h>

static int calls;

__attribute__((noinline)) size_t strlen(const char *string) {
  ++calls;
  const volatile char *at = string;
  while (*at) ++at;
  return (size_t)(at - string);
}

__attribute__((noinline)) void *memchr(const void *bytes, int wanted, size_t limit) {
  calls += 100;
  const volatile char *at = bytes;
  for (size_t i = 0; i < limit; i++)
    if (at[i] == (char)wanted) return (char *)bytes + i;
  return 0;
}

__attribute__((noinline)) char *strstr(const char *text, const char *wanted) {
  calls += 10000;
  const volatile char *at = text;
  return *at == *wanted ? (char *)text : 0;
}

int main(void) {
  static char text[] = "abcdabc";
  char *volatile here = text;
  size_t found = 0;
  for (int i = 0; i < 3; i++) found += strlen(here) + (size_t)((char *)memchr(here, 'd', 8) - here) + (strstr(here, "ab") != 0);
  int counted = calls;
  printf("%zu %d\n", found, counted);
}
