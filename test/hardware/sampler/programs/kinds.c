// Each kind of memory, and each way to get it.
#include <stdio.h>
#include "say.h"

struct point {
  int x, y;
  double weight;
};
struct packet {
  long length;
  struct point at;
  char body[];
};

struct point origin;
struct point corners[4];
static int counter;
int table[100];
static __thread struct point mine;
char *words = "words";

static void *wrap(size_t bytes) {
  void *p = malloc(bytes);
  return p;
}

__attribute__((noinline)) static char *make_text(size_t bytes) {
  char *text = malloc(bytes);
  text[bytes - 1] = 0; // so that malloc's return comes back here
  return text;
}

int main(void) {
  struct point *one = malloc(sizeof *one);
  SAY(&one->weight);
  struct point *many = calloc(10, sizeof *many);
  SAY(&many[7].y);
  many = realloc(many, 20 * sizeof *many);
  SAY(&many[19].weight);
  struct packet *packet = malloc(sizeof *packet + 100);
  SAY(&packet->at.y);
  SAY(&packet->body[50]);
  struct point *wrapped = wrap(sizeof *wrapped);
  SAY(&wrapped->y);
  char *text = make_text(77);
  SAY(text + 30);
  SAY(&origin.y);
  SAY(&corners[2].weight);
  SAY(&counter);
  SAY(&table[50]);
  SAY(&mine.weight);
  static struct point still;
  SAY(&still.y);
  int here = 1;
  SAY(&here);
  SAY((void *)main);
  SAY((void *)0);
  free(one);
  SAY(one);
  free(many);
  free(packet);
  free(wrapped);
  free(text);
  return 0;
}
