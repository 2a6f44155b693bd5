// Containers of the C++ library, and threads: a map whose nodes are watched while two threads look in it under a lock, shared pointers that the last
// thread lets go of, a vector that grows, an array of objects with destructors behind its cookie.
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace shop {

struct Order {
  Order(long id, long amount) : id_(id), amount_(amount), name_("order number " + std::to_string(id)) {}
  ~Order() { closed_ += amount_; }
  long amount() const { return amount_; }
  void raise(long by) { amount_ += by; }
  static std::atomic<long> closed_;

private:
  long id_, amount_;
  std::string name_;
};
std::atomic<long> Order::closed_{0};

struct Cell {
  Cell() : value(1), next(nullptr) {}
  ~Cell() { Order::closed_ += value; }
  long value;
  Cell *next;
};

class Book {
public:
  void add(std::shared_ptr<Order> order, long id) {
    std::lock_guard<std::mutex> guard(lock_);
    orders_[id] = std::move(order);
  }
  long raise(long id, long by) {
    std::lock_guard<std::mutex> guard(lock_);
    auto found = orders_.find(id);
    if (found == orders_.end()) return 0;
    found->second->raise(by);
    return found->second->amount();
  }
  void close(long id) {
    std::lock_guard<std::mutex> guard(lock_);
    orders_.erase(id);
  }

private:
  std::mutex lock_;
  std::map<long, std::shared_ptr<Order>> orders_;
};

} // namespace shop

int main() {
  shop::Book book;
  std::vector<long> sums(2);
  for (long round = 0; round < 8; round++) {
    for (long id = 0; id < 6; id++) book.add(std::shared_ptr<shop::Order>(new shop::Order(id, 10 * id)), id);
    std::vector<std::thread> threads;
    for (int number = 0; number < 2; number++)
      threads.emplace_back([&book, &sums, number] {
        for (long id = number; id < 6; id += 1 + number) sums[number] += book.raise(id, 1) > 0;
      });
    for (std::thread &thread : threads) thread.join();
    for (long id = 0; id < 6; id++) book.close(id);
    shop::Cell *cells = new shop::Cell[3 + round % 2];
    cells[1].next = &cells[2];
    sums[0] += cells[1].next->value;
    delete[] cells;
  }
  std::printf("%ld %ld %ld\n", sums[0], sums[1], shop::Order::closed_.load());
}
