// A global struct of which one field begins a line, and a struct that holds such a one.
struct counters {
  long left;
#ifdef CHANGED
  _Alignas(64)
#endif
      long right;
};

struct holder {
  long number;
  struct counters counters;
};

long before = 1;
struct counters counters = {1, 2};
long between = 2;
struct holder holder = {1, {2, 3}};

int main(void) {
  for (int i = 0; i < 1000; i++) {
    counters.left += i;
    counters.right += before;
    holder.number++;
    if (i % 3 == 0) holder.counters.right += between;
    holder.counters.left += counters.right;
  }
  return counters.right + holder.counters.left == 7;
}
