// Stage: replay. What a miss appends to: a new entry has no value yet, and costs a few instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace dprof {

template <typename T> class Appended {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  /// A new entry, which holds anything.
  [[gnu::always_inline]] T &append() {
    if (end_ == full_) [[unlikely]]
      grow();
    return *end_++;
  }
  [[gnu::always_inline]] void push_back(T entry) { append() = entry; }
  void clear() { end_ = begin(); }

  size_t size() const { return static_cast<size_t>(end_ - begin()); }
  T &back() { return end_[-1]; }
  T *data() { return begin(); }
  const T *data() const { return begin(); }
  const T &operator[](size_t index) const { return begin()[index]; }

private:
  T *begin() const { return entries_.get(); }
  [[gnu::noinline]] void grow() {
    const size_t count = size(), room = count ? 2 * count : FIRST_ROOM;
    std::unique_ptr<T[]> more(new T[room]);
    std::copy_n(begin(), count, more.get());
    entries_ = std::move(more);
    end_ = begin() + count;
    full_ = begin() + room;
  }

  static constexpr size_t FIRST_ROOM = 64;

  std::unique_ptr<T[]> entries_;
  T *end_ = nullptr, *full_ = nullptr;
};

} // namespace dprof
