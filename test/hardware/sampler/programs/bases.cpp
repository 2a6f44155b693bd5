// Classes with bases: what is allocated is the class that is constructed, not the base that is constructed first within it; nor the class whose
// constructor allocates.
#include <memory>
#include "say.h"

namespace {

struct Base {
  virtual ~Base() = default;
  long id = 1;
};
struct Derived : Base {
  long first = 2, second = 3;
  Derived *next = nullptr;
  long last = 4, spare = 5;
};
Base *bases[2];

struct Part {
  long left, right;
};
struct Whole {
  long count;
  void *memory;
  Whole() : count(1), memory(malloc(16)) {} // as large as a Whole
};
Whole *whole;

__attribute__((noinline)) void make_bases() {
  for (Base *&base : bases) base = new Derived;
}
__attribute__((noinline)) void make_whole() { whole = new Whole; }

} // namespace

int main() {
  make_bases();
  SAY(&static_cast<Derived *>(bases[1])->second);
  delete bases[0];
  delete bases[1];

  auto shared = std::make_shared<Part>();
  SAY(&shared->right);
  shared.reset();

  make_whole();
  SAY(&whole->memory);
  SAY((long *)whole->memory + 1);
  free(whole->memory);
  delete whole;
  return 0;
}
