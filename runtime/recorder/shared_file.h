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

  // Makes a file of zeroes whose first `there` bytes have memory behind them: a full /dev/shm would otherwise kill the
  // program at the first touch. Its name begins with `name_begin`; files of that name that killed processes left are
  // removed. 0, or an errno.
  int create(const std::string &name_begin, size_t bytes, size_t there);
  const std::string &path() const { return path_; }
  void *address() const { return address_; }

private:
  std::string path_;
  void *address_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace dprof
