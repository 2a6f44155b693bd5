// Types whose layout pahole knows: holes, padding, bit-fields, arrays, anonymous and nested types, members over a line's border.
#include <stdint.h>
#include <stdlib.h>

struct inner {
  int q;
  char w;
};

typedef struct {
  int x;
  long y;
} point_t;

enum colour { RED, GREEN };

struct outer {
  char first;
  int bits_a : 3;
  int bits_b : 7;
  long wide;
  struct inner one;
  struct inner many[3];
  struct {
    int unnamed_int;
    short unnamed_short;
  };
  union {
    int as_int;
    double as_double;
  } either;
  char tail;
  int *pointer;
  void (*callback)(int);
  char name[10];
  uint64_t grid[2][3];
  point_t point;
  volatile unsigned char flag;
  enum colour colour;
  struct outer *next;
  unsigned mask : 12;
  unsigned : 4;
  unsigned more : 1;
  _Bool ok;
  float flexible[];
};

struct packed {
  char a;
  int b;
  unsigned rest : 5;
} __attribute__((packed));

struct padded {
  long key;
  char last;
  unsigned low : 3;
};

struct aligned {
  int counter;
} __attribute__((aligned(128)));

union number {
  char bytes[6];
  int whole;
};

static struct packed packed;
static struct padded padded;
static struct aligned aligned[2];
static union number number;

int main(void) {
  struct outer *list = NULL;
  for (int i = 0; i < 100; i++) {
    struct outer *node = calloc(1, sizeof *node + 4 * sizeof(float));
    node->first = 'a';
    node->bits_a = 1;
    node->bits_b = 2;
    node->one.w = 'b';
    node->many[1].q = i;
    node->unnamed_short = 3;
    node->either.as_double = 1.5;
    node->grid[1][1] = 7;
    node->point.y = i;
    node->mask = 5;
    node->ok = 1;
    node->flexible[1] = 2;
    node->next = list;
    list = node;
  }
  long sum = 0;
  for (struct outer *node = list; node; node = node->next) sum += node->point.y + node->many[1].q;
  packed.b = (int)sum;
  packed.rest = 1;
  padded.key = sum;
  padded.low = 2;
  aligned[0].counter = 1;
  aligned[1].counter = 2;
  number.whole = 4;
  return sum == 9900 ? 0 : 1;
}
