// Where segments begin and end, and what they count, at -O0:
//   segment main n=9 entry
//   segment twice n=12 entry exit
//   segment main n=4
//   segment main n=4
//   segment main n=3 exit
// main: four allocas, a store to three of them, the load of the argument, and the call, which ends the first segment. Then store and load of
// `sum`, comparison, branch; load, add, store, branch; load, subtract, return. twice: two allocas and every access that its lines spell.
int x;

__attribute__((noinline)) static int twice(int by) {
  int copy = by;
  x += copy;
  return 2 * by;
}

int main(int argc, char **argv) {
  int sum = twice(argc);
  if (sum > 1)
    x += 5;
  return x - 6;
}
