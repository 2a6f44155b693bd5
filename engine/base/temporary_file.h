// Stage: replay. A file that has no name from the beginning: however the process ends, it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/trace_error.h"

namespace dprof {

class TemporaryFile {
public:
  TemporaryFile() = default;
  explicit TemporaryFile(const std::string &folder);
  TemporaryFile(TemporaryFile &&other) noexcept { *this = std::move(other); }
  TemporaryFile &operator=(TemporaryFile &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(folder_, other.folder_);
    return *this;
  }
  ~TemporaryFile();
  bool isOpen() const { return descriptor_ >= 0; }
  void write(uint64_t at, const void *from, size_t bytes) const;
  void read(uint64_t at, void *into, size_t bytes) const;
  /// The same file once more.
  TemporaryFile duplicate() const;
  /// Gives up the descriptor; the caller closes it.
  int release() { return std::exchange(descriptor_, -1); }

private:
  int descriptor_ = -1;
  std::string folder_;
};

} // namespace dprof
