// Strings that functions of the C library allocate.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

char *volatile given = "hello";
wchar_t *volatile wide_given = L"wide";
void *volatile kept;

int main(void) {
  char *copy = strdup(given);
  kept = copy;
  char *part = strndup(given, 2);
  kept = part;
  wchar_t *wide = wcsdup(wide_given);
  kept = wide;
  char *text = NULL;
  int length = asprintf(&text, "%s, %d", given, 42);
  return length == 9 ? 0 : 1;
}
