// Stage: collectors.
#include "incomplete_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../recorder/sink.h"

namespace dprof {

IncompleteFile::~IncompleteFile() {
  if (file_ >= 0) close(file_);
}

int IncompleteFile::create(const std::string &path) {
  name_ = path;
  struct stat there;
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return S_ISDIR(there.st_mode) ? EISDIR : EINVAL;
  incomplete_ = path + ".incomplete";
  file_ = open(incomplete_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return file_ < 0 ? errno : 0;
}

void IncompleteFile::write(const void *bytes, size_t count) {
  const char *at = (const char *)bytes;
  offset_ += count;
  if (!error_) error_ = write_rest(file_, &at, &count);
}

int IncompleteFile::finish() {
  if (close(file_) != 0 && !error_) error_ = errno;
  file_ = -1;
  if (!error_ && rename(incomplete_.c_str(), name_.c_str()) != 0) error_ = errno;
  return error_;
}

void IncompleteFile::remove() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  unlink(incomplete_.c_str());
}

} // namespace dprof
