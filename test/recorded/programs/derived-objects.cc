// Objects that are made as one class, and held as its base: std::thread's state, std::make_shared's.
#include <memory>
#include <thread>

struct widget {
  long a, b, c;
};

__attribute__((noinline)) static std::shared_ptr<widget> make() { return std::make_shared<widget>(); }

int main() {
  auto held = make();
  held->a = 1;
  std::thread thread([&] { held->b = held->a; });
  thread.join();
  return held->b == 1 ? 0 : 1;
}
