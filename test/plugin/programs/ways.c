// Twelve choices, one after the other: 4,096 ways, more than may lead to one place. Each stores to one of two cells.
int cells[25];

#define CHOOSE(i) if (bits >> i & 1) cells[2 * i + 1] = 1; else cells[2 * i] = 2

static void choose(unsigned bits) {
  cells[24] = 0;
  CHOOSE(0);
  CHOOSE(1);
  CHOOSE(2);
  CHOOSE(3);
  CHOOSE(4);
  CHOOSE(5);
  CHOOSE(6);
  CHOOSE(7);
  CHOOSE(8);
  CHOOSE(9);
  CHOOSE(10);
  CHOOSE(11);
}

#define CASE(i) case i: CHOOSE(0); CHOOSE(1); CHOOSE(2); CHOOSE(3); CHOOSE(4); break;
#define TEN_CASES(i) CASE(i) CASE(i + 1) CASE(i + 2) CASE(i + 3) CASE(i + 4) CASE(i + 5) CASE(i + 6) CASE(i + 7) CASE(i + 8) CASE(i + 9)

// An interpreter's switch: 1,280 ways, but only 32 to each place.
static void dispatch(unsigned code, unsigned bits) {
  cells[24] = 0;
  switch (code) {
    TEN_CASES(0)
    TEN_CASES(10)
    TEN_CASES(20)
    TEN_CASES(30)
  }
}

int main(void) {
  for (unsigned bits = 0; bits < 4096; bits += 37)
    choose(bits);
  for (unsigned code = 0; code < 40; code++)
    dispatch(code, code % 32);
  return 0;
}
