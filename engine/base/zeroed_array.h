// Stage: replay. A flat array that grows without copying, and without touching its new part: for state that is indexed
// by line or page frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace dprof {

/// Anonymous memory, zero until written; only written pages cost anything. `T` must be valid when all zero.
template <typename T> class ZeroedArray {
public:
  ZeroedArray() = default;
  explicit ZeroedArray(size_t count) { grow(count); }
  ZeroedArray(const ZeroedArray &) = delete;
  ZeroedArray &operator=(const ZeroedArray &) = delete;
  ZeroedArray(ZeroedArray &&other) noexcept { *this = std::move(other); }
  ZeroedArray &operator=(ZeroedArray &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ZeroedArray() {
    if (data_) munmap(data_, bytes_);
  }

  void grow(size_t count) {
    size_t bytes = (count * sizeof(T) + 4095) & ~size_t{4095};
    if (bytes <= bytes_) return;
    void *at = data_ ? mremap(data_, bytes_, bytes, MREMAP_MAYMOVE)
                     : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    if (bytes >= size_t{4} << 20) madvise(at, bytes, MADV_HUGEPAGE);
    data_ = static_cast<T *>(at);
    bytes_ = bytes;
  }

  T *data() { return data_; }
  T &operator[](size_t index) { return data_[index]; }
  const T &operator[](size_t index) const { return data_[index]; }

private:
  T *data_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace dprof
