// Every kind of value that an access can have, and every kind of argument. `volatile` keeps each access what it is at any level of optimisation.
#include <complex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct pair { int left, right; };
struct bits { unsigned low : 4, high : 12; };
struct wide { long first, second; };
typedef int four __attribute__((vector_size(16)));

static volatile signed char tiny;
static volatile short small;
static volatile int number;
static volatile long large;
static volatile float single;
static volatile double real;
static volatile long double longer;
static volatile __int128 huge;
static volatile four lanes;
static volatile struct bits bits;
static int *volatile pointer;
static volatile float _Complex both;
static atomic_int shared;
_Atomic float ratio;
char text[40];

__attribute__((noinline)) static void scalars(void) {
  tiny = -2;               // w 1 fe
  small = tiny;            // r 1 fe; w 2 fffe
  number = small - 5;      // r 2 fffe; w 4 fffffff9
  large = number;          // r 4 fffffff9; w 8 fffffffffffffff9
  pointer = (int *)large;  // r 8 fffffffffffffff9; w 8 fffffffffffffff9
  single = 1.5f;           // w 4 3fc00000
  real = single;           // r 4 3fc00000; w 8 3ff8000000000000
  longer = real;           // r 8 3ff8000000000000; w 10 c000000000000000
  huge = ((__int128)7 << 64) + 9; // w 16 9
  lanes = (four){1, 2, 3, 4};     // w 16 200000001
  bits.high = 0xabc;       // r 2 0; w 2 abc0
  both = 1.0f + 2.0f * I;  // w 4 3f800000; w 4 40000000
}

__attribute__((noinline)) static int atomics(void) {
  int expected = 5;
  atomic_store(&shared, 5);            // w 4 5
  atomic_fetch_add(&shared, 3);        // a 4 3
  int before = atomic_exchange(&shared, 100); // a 4 64
  atomic_compare_exchange_strong(&shared, &expected, 77); // a 4 4d
  atomic_store(&ratio, 0.5f);          // w 4 3f000000
  return before + atomic_load(&shared) + (atomic_load(&ratio) == 0.5f); // r 4 64; r 4 3f000000
}

__attribute__((noinline)) static void blocks(int length) {
  memset(text, 'x', (unsigned long)length); // w 33 -
}

__attribute__((noinline)) int plain(int left, int right) { return left * right; }
__attribute__((noinline)) double mixed(const char *name, float factor, double value, struct pair pair, _Bool flag, four vector) {
  return name[0] + (double)factor * value + pair.left + pair.right + flag + vector[0];
}
__attribute__((noinline)) long coerced(struct wide wide) { return wide.first - wide.second; }
struct wider { long rows[4]; };
__attribute__((noinline)) long in_memory(int before, struct wider wider) { return before + wider.rows[3]; }

int main(void) {
  scalars();
  int sum = atomics();
  blocks(33);
  struct pair pair = {10, 11};
  sum += plain(6, -7);
  sum += (int)mixed("go", 0.25f, 8.0, pair, 1, (four){40, 41, 42, 43});
  sum += (int)coerced((struct wide){-1, 0x123456789abcdefl});
  sum += (int)in_memory(3, (struct wider){{1, 2, 3, 4}});
  printf("%d\n", sum);
  return 0;
}
