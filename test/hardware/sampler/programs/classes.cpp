// operator new and delete, and who frees; thread-local variables of two threads.
#include <memory>
#include <new>
#include <thread>
#include <vector>
#include "say.h"

namespace shapes {
struct Circle {
  double radius;
  int colour;
  Circle() : radius(1), colour(0) {}
};
struct alignas(128) Wide {
  char bytes[200];
  int last;
};
} // namespace shapes

thread_local shapes::Circle own;
static shapes::Circle first;

__attribute__((noinline)) static shapes::Circle *make() { return new shapes::Circle; }

int main() {
  auto *circle = new shapes::Circle;
  SAY(&circle->colour);
  auto *many = new shapes::Circle[5];
  SAY(&many[3].colour);
  auto *wide = new shapes::Wide;
  SAY(&wide->last);
  SAY(&first.colour);
  SAY(&own.colour);
  std::thread other([&] {
    SAY(&own.colour);
    say_as(&circle->radius, 1, 1);
    delete circle;
    auto *again = new shapes::Circle;
    SAY(&again->radius);
    delete again;
  });
  other.join();
  delete[] many;
  delete wide;
  // What can not be had is not there; nor is it lost what comes behind.
  try {
    volatile size_t most = ~(size_t)0 / 2;
    auto *none = new char[most];
    SAY(none);
  } catch (const std::bad_alloc &) {
  }
  auto *last = make();
  SAY(&last->colour);
  delete last;
  return 0;
}
