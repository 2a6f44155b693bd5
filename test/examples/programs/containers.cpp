// C++: new and delete, arrays of classes, containers, inheritance, inlined functions of headers.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace shop {
struct Base {
  virtual ~Base() = default;
  virtual int price() const = 0;
  short kind = 1;
};
struct Book : Base {
  int pages = 0;
  char title[40] = {};
  int price() const override { return pages * 2; }
};
struct Pen final : Base {
  double ink = 0.5;
  int price() const override { return static_cast<int>(ink * 10); }
};
union Mixed {
  long whole;
  struct { int low, high; } halves;
};
template <class Value> struct Box {
  Value value;
  unsigned used : 3;
  unsigned more : 9;
};
}

static std::mutex total_mutex;
static long total;
thread_local long mine;

__attribute__((noinline)) static std::unique_ptr<shop::Base> make(int number) {
  if (number % 3 == 0) return std::make_unique<shop::Pen>();
  auto book = std::make_unique<shop::Book>();
  book->pages = number;
  return book;
}

__attribute__((noinline)) static long sell(std::vector<std::unique_ptr<shop::Base>> &stock) {
  long sum = 0;
  for (auto &item : stock) sum += item->price();
  std::lock_guard<std::mutex> guard(total_mutex);
  total += sum;
  mine += sum;
  return sum;
}

static void seller(int first) {
  std::vector<std::unique_ptr<shop::Base>> stock;
  for (int i = first; i < first + 40; i++) {
    stock.push_back(make(i));
    if (i % 10 == 0) sell(stock);
  }
}

int main() {
  std::map<int, std::string> names;
  for (int i = 0; i < 50; i++) names[i * 7 % 50] = "a name that is too long to be stored in place " + std::to_string(i);
  std::unordered_map<int, int> counts;
  for (const auto &[key, name] : names) counts[static_cast<int>(name.size()) + key % 3]++;
  auto *boxes = new shop::Box<short>[20];
  for (int i = 0; i < 20; i++) {
    boxes[i].value = static_cast<short>(i);
    boxes[i].used = i & 7;
    boxes[i].more += i;
  }
  auto *mixed = new shop::Mixed;
  mixed->whole = 5;
  mixed->halves.high = 3;
  long sum = mixed->whole;
  for (int i = 0; i < 20; i++) sum += boxes[i].value + boxes[i].used;
  std::thread one(seller, 0), two(seller, 100);
  one.join();
  two.join();
  names.erase(3);
  delete mixed;
  delete[] boxes;
  std::printf("%ld %ld %zu %ld\n", sum, total, counts.size(), mine);
}
