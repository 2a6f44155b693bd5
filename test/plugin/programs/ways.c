// Twelve choices, one after the other: 4,096 ways, more than one region may have. Each stores to one of two cells.
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

int main(void) {
  for (unsigned bits = 0; bits < 4096; bits += 37)
    choose(bits);
  return 0;
}
