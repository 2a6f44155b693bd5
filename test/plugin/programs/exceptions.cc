// Exceptions through instrumented frames: prints the same with and without the plugin, and every object is destroyed.
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int alive;
struct Guard {
  int number;
  explicit Guard(int n) : number(n) { ++alive; }
  ~Guard() { --alive; }
};

__attribute__((noinline)) static int deep(int n) {
  Guard guard(n);
  if (n == 0) throw std::runtime_error("bottom");
  std::unique_ptr<Guard> owned(new Guard(n));
  return deep(n - 1) + owned->number;
}

static int rethrow(int n) {
  try {
    return deep(n);
  } catch (const std::logic_error &) {
    return -1;
  } catch (...) {
    try {
      throw;
    } catch (const std::exception &e) {
      return int(std::string(e.what()).size());
    }
  }
}

template <class T> static T total(const std::vector<T> &v) {
  T sum{};
  for (const T &x : v) sum += x;
  return sum;
}

static thread_local std::string local_text = "local";
static inline int counted() { static int calls = 10; return ++calls; }

int main() {
  std::printf("%d %d\n", rethrow(6), alive);
  std::map<std::string, std::vector<int>> lists;
  for (int i = 0; i < 20; i++) lists["k" + std::to_string(i % 5)].push_back(i);
  int sum = 0;
  for (auto &[key, list] : lists) sum += total(list) * int(key.size());
  auto lambda = [&](int by) { return sum * by; };
  std::thread thread([&] { local_text += "!"; sum += int(local_text.size()); });
  thread.join();
  std::printf("%d %d %s %d\n", sum, lambda(2), local_text.c_str(), counted() + counted());
  try {
    (void)lists.at("none");
  } catch (const std::out_of_range &) {
    std::puts("out of range");
  }
  return alive;
}
