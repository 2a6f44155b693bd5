// Stage: collectors. A file that has the name FILE.incomplete until it is whole.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>

namespace dprof {

class IncompleteFile {
public:
  IncompleteFile() = default;
  ~IncompleteFile();
  IncompleteFile(const IncompleteFile &) = delete;
  IncompleteFile &operator=(const IncompleteFile &) = delete;

  // 0, or the errno of the failure. If the name exists already it must be a file: a device stays one.
  int create(const std::string &path);
  // The first error is kept, and nothing is written behind it.
  void write(const void *bytes, size_t count);
  uint64_t offset() const { return offset_; }
  int error() const { return error_; }
  // It gets its name: 0, or the first errno.
  int finish();
  // It is given up.
  void remove();

private:
  std::string name_, incomplete_;
  int file_ = -1;
  int error_ = 0;
  uint64_t offset_ = 0;
};

} // namespace dprof
