// Stage: replay. A vector for random access. Large ones ask for huge pages: without them finding an entry's page takes
// longer than reading the entry.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace dprof {

template <typename T> struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <typename Other> HugePages(const HugePages<Other> &) {}

  T *allocate(size_t count) {
    size_t bytes = count * sizeof(T);
    if (bytes < LARGE) return static_cast<T *>(::operator new(bytes, std::align_val_t{alignof(T)}));
    void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    madvise(at, bytes, MADV_HUGEPAGE); // where they are not to be had, small ones do
    return static_cast<T *>(at);
  }
  void deallocate(T *at, size_t count) {
    if (count * sizeof(T) < LARGE)
      ::operator delete(at, std::align_val_t{alignof(T)});
    else
      munmap(at, count * sizeof(T));
  }
  bool operator==(const HugePages &) const = default;

private:
  static constexpr size_t LARGE = size_t{1} << 20;
};

template <typename T> using HugeVector = std::vector<T, HugePages<T>>;

} // namespace dprof
