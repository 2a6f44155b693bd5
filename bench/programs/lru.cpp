// A cache of C++ containers: a list of pages in the order of their last use, and a hash map from a page's number to its
// place there. Arguments: how many look-ups, how many pages the cache holds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <unordered_map>

namespace {

struct Page {
  uint64_t number;
  long uses;
  char bytes[48];
};

class Cache {
public:
  explicit Cache(size_t capacity) : capacity_(capacity) { places_.reserve(capacity); }

  Page &get(uint64_t number) {
    auto found = places_.find(number);
    if (found != places_.end()) {
      pages_.splice(pages_.begin(), pages_, found->second);
    } else {
      if (pages_.size() == capacity_) {
        places_.erase(pages_.back().number);
        pages_.pop_back();
      }
      pages_.push_front(Page{number, 0, {}});
      places_.emplace(number, pages_.begin());
    }
    return pages_.front();
  }

private:
  size_t capacity_;
  std::list<Page> pages_;
  std::unordered_map<uint64_t, std::list<Page>::iterator> places_;
};

} // namespace

int main(int argc, char **argv) {
  long lookups = argc > 1 ? atol(argv[1]) : 1000000;
  size_t capacity = argc > 2 ? static_cast<size_t>(atol(argv[2])) : 20000;
  Cache cache(capacity);
  uint64_t state = 88172645463325252u;
  long total = 0;
  for (long i = 0; i < lookups; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    // Low numbers more often; three in four are there.
    uint64_t below = state % (2 * capacity) + 1;
    total += ++cache.get((state >> 32) % below).uses;
  }
  std::printf("%ld\n", total);
}
