// Stage: recorder. One trace file: header, chunks with checksums, and what to do when the disk is full.
#include "trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"

namespace dprof {

TraceFile::~TraceFile() {
  if (fd_ >= 0) close(fd_);
}

int TraceFile::create(const std::string &path) {
  path_ = path;
  struct stat there;
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return S_ISDIR(there.st_mode) ? EISDIR : EINVAL; // a device must stay one
  incomplete_ = path + ".incomplete";
  fd_ = open(incomplete_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd_ < 0 ? errno : 0;
}

void TraceFile::write_all(const void *bytes, size_t count) {
  const char *p = (const char *)bytes;
  while (count && !error_) {
    ssize_t n = write(fd_, p, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error_ = errno;
      break;
    }
    p += n;
    count -= (size_t)n;
  }
}

void TraceFile::write_header(dprof_trace_header header) {
  memcpy(header.magic, DPROF_TRACE_MAGIC, sizeof header.magic);
  header.version = DPROF_TRACE_VERSION;
  header.header_bytes = sizeof header;
  header.checksum = checksum(&header, sizeof header - sizeof header.checksum);
  write_all(&header, sizeof header);
  if (!error_) whole_bytes_ += sizeof header;
}

void TraceFile::write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) {
  dprof_chunk_header header = {};
  header.magic = DPROF_CHUNK_MAGIC;
  header.kind = (uint16_t)kind;
  header.thread = thread;
  header.sequence = sequence;
  header.payload_bytes = (uint32_t)payload.size();
  header.payload_checksum = checksum(payload.data(), payload.size());
  header.header_checksum = checksum(&header, sizeof header - sizeof header.header_checksum);
  write_all(&header, sizeof header);
  write_all(payload.data(), payload.size());
  if (!error_) whole_bytes_ += sizeof header + payload.size();
}

void TraceFile::finish() {
  if (error_ && ftruncate(fd_, (off_t)whole_bytes_) != 0) { /* then a reader finds the torn chunk, and stops before it */ }
  if (close(fd_) != 0 && !error_) error_ = errno;
  fd_ = -1;
  if (rename(incomplete_.c_str(), path_.c_str()) != 0 && !error_) error_ = errno;
}

void TraceFile::remove() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  unlink(incomplete_.c_str());
}

} // namespace dprof
