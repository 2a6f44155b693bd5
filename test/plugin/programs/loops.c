// Loops of many kinds over memory at a fixed address, so that two builds of this program make the same references.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ALONE __attribute__((noinline))

struct point {
  double x, y;
  int tag;
  char name[20];
};

ALONE static long forward(const int *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += p[i];
  return sum;
}

ALONE static void backward(int *p, int n) {
  for (int i = n - 1; i >= 0; i--) p[i] = i;
}

ALONE static double column(const double *p, long rows, long width) {
  double sum = 0;
  for (long i = 0; i < rows; i++) sum += p[i * width];
  return sum;
}

ALONE static int find(const int *p, int n, int wanted) {
  for (int i = 0; i < n; i++)
    if (p[i] == wanted) return i;
  return -1;
}

// Left in the middle of an iteration: after the first load, after the second, or behind a whole one.
ALONE static int leave_anywhere(const int *a, const int *b, int *c, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i] == 7) return i;
    if (b[i] == 9) return -i;
    c[i] = a[i] + b[i];
  }
  return n;
}

ALONE static size_t length(const char *s) {
  const char *p = s;
  while (*p) p++;
  return p - s;
}

ALONE static int same_exit(const int *p, int n) {
  int i = 0;
  for (; i < n; i++) {
    switch (p[i]) {
    case 3: case 5: goto out;
    case 11: goto out;
    }
  }
out:
  return i;
}

ALONE static void triangle(double *m, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) m[i * n + j] += m[j * n + i];
}

ALONE static void fields(struct point *p, int n) {
  for (int i = 0; i < n; i++) {
    p[i].x += p[i].y;
    p[i].tag++;
  }
}

ALONE static void structs(struct point *to, const struct point *from, int n) {
  for (int i = 0; i < n; i++) to[n - 1 - i] = from[i];
}

ALONE static void clear(struct point *p, int n) {
  for (int i = 0; i < n; i++) memset(p[i].name, i, sizeof p[i].name);
}

// 32 bits that wrap: no affine address.
ALONE static int wraps(const int *p, unsigned from, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += p[(uint32_t)(from + i * 0x40000001u) % 64];
  return sum;
}

ALONE static long same_place(long *total, const long *p, int n) {
  for (int i = 0; i < n; i++) *total += p[i & 15];
  return *total;
}

ALONE static long gathered(const long *p, const int *index, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += p[index[i]];
  return sum;
}

ALONE static int conditional(int *p, int n) {
  int most = 0;
  for (int i = 0; i < n; i++) {
    int v = p[i];
    if (v > most) most = v;
    if (v & 1) p[i] = most;
  }
  return most;
}

ALONE static int is_volatile(volatile int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += p[i];
  return sum;
}

ALONE static void three(int *p) {
  for (int i = 0; i < 3; i++) p[i * 5] = p[i] + 1;
}

ALONE static void add(double *restrict c, const double *restrict a, const double *restrict b, long n) {
  for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
}

ALONE static void windows(int *p, int n) {
  for (int i = 1; i + 1 < n; i++) p[i] = (p[i - 1] + p[i] + p[i + 1]) / 3;
}

// Far apart by less than any constant that a slot could hold, and more.
ALONE static long huge_steps(char *p, int n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += p[i * 0x90000000l];
  return sum;
}

int main(void) {
  char *arena = mmap((void *)0x10000000, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  int *ints = (int *)arena, *more = (int *)(arena + 0x10000), *index = (int *)(arena + 0x20000);
  double *doubles = (double *)(arena + 0x30000);
  struct point *points = (struct point *)(arena + 0x60000), *others = (struct point *)(arena + 0x80000);
  long *longs = (long *)(arena + 0xa0000);
  backward(ints, 1000);
  for (int i = 0; i < 300; i++) more[i] = i % 11 == 10 ? 9 : i + 100, index[i] = i * 37 % 256;
  long sum = forward(ints, 1000) + forward(ints, 0) + forward(ints + 1, 1);
  sum += find(ints, 1000, 321) + find(ints, 1000, 0) + find(ints, 1000, -1) + find(ints, 0, 1);
  sum += leave_anywhere(ints, more, ints + 2000, 300) + leave_anywhere(ints + 20, more + 100, ints + 2000, 300) + leave_anywhere(ints + 8, ints + 1100, ints + 2000, 50);
  strcpy(arena + 0x50000, "how long is this");
  sum += length(arena + 0x50000) + length(arena + 0x50010);
  sum += same_exit(ints, 1000) + same_exit(ints + 20, 100) + same_exit(ints + 7, 100);
  sum += (long)column(doubles, 40, 33) + (long)column(doubles, 1, 1);
  triangle(doubles, 30);
  fields(points, 100);
  structs(others, points, 100);
  clear(points, 50);
  sum += wraps(ints, 5, 100) + same_place(longs, longs + 8, 200) + gathered(longs, index, 300) + conditional(ints, 200);
  sum += is_volatile(ints, 50);
  for (int i = 0; i < 4; i++) three(ints + i);
  add(doubles, doubles + 2048, doubles + 4096, 1023);
  windows(ints, 500);
  sum += huge_steps(arena, 1);
  printf("%ld\n", sum);
  return 0;
}
