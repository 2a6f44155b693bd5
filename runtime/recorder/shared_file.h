// Stage: collectors of histories and samples. A file that a program maps too: in /dev/shm, or in a folder for temporary
// files where that is not writable.
#pragma once

#include <stddef.h>

#include <string>

namespace dprof {

class SharedFile {
public:
  SharedFile() = default;
  ~SharedFile();
  SharedFile(const SharedFile &) = delete;
  SharedFile &operator=(const SharedFile &) = delete;

  // Zeroes, the first `there` bytes with memory behind them: a full /dev/shm would otherwise kill the program at the
  // first touch. Names begin with `name_begin`; what killed processes left of that name is removed. 0, or an errno.
  int create(const std::string &name_begin, size_t bytes, size_t there);
  const std::string &path() const { return path_; }
  void *address() const { return address_; }

private:
  std::string path_;
  void *address_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace dprof
