// Stage: recorder. A zero-filled array; only its touched pages take memory.
#pragma once

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <new>

namespace dprof {

template <typename Element> class MappedArray {
public:
  MappedArray() = default;
  ~MappedArray() {
    if (at_) munmap(at_, bytes_);
  }
  MappedArray(const MappedArray &) = delete;
  MappedArray &operator=(const MappedArray &) = delete;

  // Room for at least `count` elements; they may move.
  void grow(size_t count) {
    size_t bytes = (count * sizeof(Element) + 65536) & ~(size_t)65535;
    if (bytes <= bytes_) return;
    void *at = at_ ? mremap(at_, bytes_, bytes, MREMAP_MAYMOVE)
                   : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    at_ = (Element *)at;
    bytes_ = bytes;
  }
  // All elements are zero again, and their pages are given back.
  void clear() {
    if (at_ && madvise(at_, bytes_, MADV_DONTNEED) != 0) memset((void *)at_, 0, bytes_);
  }
  Element *data() const { return at_; }
  Element &operator[](size_t i) const { return at_[i]; }

private:
  Element *at_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace dprof
