// Stage: replay. How often each of some numbers was met: a small open hash table, one per object that needs it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace dprof {

class Counts {
public:
  Counts() = default;
  Counts(const Counts &of) : mask_(of.mask_), used_(of.used_), entries_(std::make_unique<Entry[]>(of.mask_ + 1)) {
    std::copy_n(of.entries_.get(), mask_ + 1, entries_.get());
  }
  Counts(Counts &&) = default;
  Counts &operator=(Counts &&) = default;
  void add(uint64_t key, uint64_t count = 1) {
    size_t i = hashOf(key) & mask_;
    while (entries_[i].count && entries_[i].key != key) i = (i + 1) & mask_;
    Entry &entry = entries_[i];
    if (entry.count) [[likely]]
      entry.count += count;
    else
      insert(entry, key, count);
  }
  template <typename Visit> void each(Visit visit) const {
    for (size_t i = 0; i <= mask_; i++)
      if (entries_[i].count) visit(entries_[i].key, entries_[i].count);
  }

private:
  struct Entry {
    uint64_t key, count; // 0: free
  };
  static size_t hashOf(uint64_t key) {
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    return h >> 32 ^ h >> 48;
  }
  [[gnu::noinline]] void insert(Entry &free, uint64_t key, uint64_t count) {
    free = {key, count};
    if (++used_ * 4 > (mask_ + 1) * 3) widen();
  }
  void widen() {
    Counts wider;
    wider.mask_ = mask_ * 2 + 1;
    wider.entries_ = std::make_unique<Entry[]>(wider.mask_ + 1);
    each([&](uint64_t key, uint64_t count) { wider.add(key, count); });
    *this = std::move(wider);
  }
  size_t mask_ = 3, used_ = 0;
  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(4);
};

} // namespace dprof
