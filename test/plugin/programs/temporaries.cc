// What the compiler keeps in stack memory without a name has the type that it keeps there. Behind each line: its events, in order.
struct point { long x, y; };
struct box { point low, high; };
static box made;

__attribute__((noinline)) static point twice(long n) {
  return {n, n}; // store 8 point .x; store 8 point .y @8; load 16 point
}

__attribute__((noinline)) static box around(long n) {
  return {{n, n}, {n, n}}; // store 8 box .low.x; store 8 box .low.y @8; store 8 box .high.x @16; store 8 box .high.y @24
}

__attribute__((noinline)) static box above(long n) {
  return {{n, n}, {n, n}}; // store 8 box .low.x; store 8 box .low.y @8; store 8 box .high.x @16; store 8 box .high.y @24
}

__attribute__((noinline)) static long height(box b) { return b.high.y; } // store 32 box local=b; load 8 box .high.y @24 local=b

int main() {
  long sum = twice(3).y;      // store 8 point .x; store 8 point .y @8; load 8 point .y @8
  made = around(1);           // copy-load 32 box; copy-store 32 box var=made
  sum += height(above(2));   // load 32 box
  return sum == 5 ? 0 : 1;
}
