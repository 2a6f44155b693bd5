// Every form of operator new, containers over it, a class with its own, and realloc: each block's size says which it is.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

struct alignas(128) Wide { char bytes[128]; };
struct Counted { long value; ~Counted() { value = 0; } };
struct Own {
  long a[9];
  static void *operator new(std::size_t bytes) { return std::malloc(bytes + 1); } // 73
  static void operator delete(void *p) { std::free(p); }
};
static void *volatile kept;
template <typename T> static T *keep(T *p) {
  kept = p;
  return p;
}

int main() {
  delete keep(new (std::nothrow) Counted);        // 8
  delete[] keep(new Counted[5]);                  // 8 + 40
  delete keep(new Wide);                          // 128
  delete[] keep(new (std::nothrow) Wide[3]);      // 384 or more: a cookie is not needed
  delete[] keep(new char[61]);                    // 61
  delete keep(new Own);                           // 73
  ::operator delete(keep(::operator new(62)), std::size_t(62)); // 62
  std::vector<int> numbers(30, 1);                // 120
  keep(numbers.data());
  auto shared = std::make_shared<Own>();          // 72 and a control block
  keep(shared.get());
  char *grown = (char *)std::malloc(63);          // 63
  grown = (char *)std::realloc(keep(grown), 200000); // 200000
  std::memset(grown, 1, 200000);
  std::free(keep(grown));
}
