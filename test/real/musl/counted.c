// Stage: test. qsort, malloc, realloc and printf, to be counted by dprof and by clang.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long compared;
static int compare(const void *a, const void *b) {
  compared++;
  return *(const int *)a - *(const int *)b;
}
struct node {
  struct node *next;
  long value;
};
#ifdef COUNTED
void print_counts(void);
#endif
int main(void) {
  enum { numbers = 5000 };
  int *v = malloc(numbers * sizeof *v);
  unsigned seed = 1;
  for (int i = 0; i < numbers; i++) {
    seed = seed * 1103515245u + 12345u;
    v[i] = (int)(seed >> 8 & 0xfffff);
  }
  qsort(v, numbers, sizeof *v, compare);
  long sum = 0;
  for (int i = 0; i < numbers; i++) sum += v[i] * (long)i;
  printf("%ld compared, sum %ld\n", compared, sum);
  struct node *list = 0;
  for (int i = 0; i < 3000; i++) {
    struct node *n = malloc(sizeof *n + i % 300);
    n->value = i;
    n->next = list;
    list = n;
    if (i % 3 == 0) {
      list = n->next;
      free(n);
    }
  }
  for (struct node *n = list; n; n = n->next) sum += n->value;
  while (list) {
    struct node *n = list;
    list = n->next;
    free(n);
  }
  char *text = NULL;
  size_t length = 0;
  for (int i = 0; i < 500; i++) {
    char line[100];
    int n = snprintf(line, sizeof line, "%5d %-10s %08x %.3f|", i, "word", i * 77, i / 7.0);
    text = realloc(text, length + (size_t)n + 1);
    memcpy(text + length, line, (size_t)n + 1);
    length += (size_t)n;
  }
  printf("%zu %ld\n", strlen(text), sum);
  free(text);
  free(v);
#ifdef COUNTED
  print_counts();
#endif
  return 0;
}
