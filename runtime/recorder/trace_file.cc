// Stage: recorder. Writes one trace file, and handles a full disk.
#include "trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dprof {
namespace {

// A link stays one: what it leads to is replaced.
std::string real_path(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  std::string found = real ? real : path;
  free(real);
  return found;
}

} // namespace

TraceFile::~TraceFile() {
  if (fd_ >= 0) close(fd_);
}

int TraceFile::create(const std::string &path) {
  name_ = path;
  struct stat there;
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return S_ISDIR(there.st_mode) ? EISDIR : EINVAL; // a device must stay one
  target_ = real_path(path);
  incomplete_ = target_ + ".incomplete";
  fd_ = open(incomplete_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd_ < 0 ? errno : 0;
}

void TraceFile::write_all(const void *bytes, size_t count) {
  const char *p = (const char *)bytes;
  if (!error_) error_ = write_rest(fd_, &p, &count);
}

void TraceFile::write_header(const dprof_trace_header &header) {
  dprof_trace_header finished = finished_header(header);
  write_all(&finished, sizeof finished);
  if (!error_) whole_bytes_ += sizeof finished;
}

void TraceFile::write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) {
  dprof_chunk_header header = chunk_header(kind, thread, sequence, payload);
  write_all(&header, sizeof header);
  write_all(payload.data(), payload.size());
  if (!error_) whole_bytes_ += sizeof header + payload.size();
}

void TraceFile::write_end(const Bytes &json) {
  int error = error_;
  if (error && (ftruncate(fd_, (off_t)whole_bytes_) != 0 || lseek(fd_, (off_t)whole_bytes_, SEEK_SET) < 0)) return;
  error_ = 0;
  write_chunk(DPROF_CHUNK_END, 0, 0, json);
  if (error) error_ = error;
}

void TraceFile::finish() {
  if (error_ &&
      ftruncate(fd_, (off_t)whole_bytes_) != 0) { /* then a reader finds the torn chunk, and stops before it */
  }
  if (close(fd_) != 0 && !error_) error_ = errno;
  fd_ = -1;
  if (rename(incomplete_.c_str(), target_.c_str()) != 0 && !error_) error_ = errno;
}

void TraceFile::remove() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  unlink(incomplete_.c_str());
}

} // namespace dprof
