// `new` knows its type; an array of it may keep its length in front (the cookie).
#include <new>
struct Plain {
  long a, b;
};
struct Counted {
  long a;
  ~Counted() { a = 0; }
};
void *volatile keep;

int main(int argc, char **) {
  Plain *plain = new Plain;               // allocation memory bytes=16: Plain .plain
  Plain *quiet = new (std::nothrow) Plain; // allocation memory bytes=16: Plain .quiet
  int *numbers = new int[4];              // allocation memory bytes=16: int[] .numbers
  Counted *counted = new Counted[argc + 1]; // allocation memory bytes=24: Counted .counted @8
  keep = plain, keep = quiet, keep = numbers, keep = counted;
  delete plain;     // free
  delete[] counted; // free
  return 0;
}
