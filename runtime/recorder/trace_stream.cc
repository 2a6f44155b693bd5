// Stage: recorder. A stream is written in order only: after a failed write nothing more is written.
#include "trace_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace dprof {

TraceStream::TraceStream(int fd, const std::string &name, int most_silence_ms)
    : fd_(fd), most_silence_ms_(most_silence_ms) {
  name_ = name;
  if (most_silence_ms) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

TraceStream::~TraceStream() {
  if (fd_ >= 0) close(fd_);
}

bool TraceStream::wait_for_reader() {
  pollfd file = {fd_, POLLOUT, 0};
  int ready = poll(&file, 1, most_silence_ms_ ? most_silence_ms_ : -1);
  if (ready == 0) error_ = ETIMEDOUT;
  if (ready < 0 && errno != EINTR) error_ = errno;
  return !error_;
}

void TraceStream::write_all(const void *bytes, size_t count) {
  const char *p = (const char *)bytes;
  while (count && !error_) {
    int error = write_rest(fd_, &p, &count);
    bool goes_on = error == EAGAIN && wait_for_reader();
    if (!goes_on && !error_) error_ = error;
  }
}

void TraceStream::write_header(const dprof_trace_header &header) {
  dprof_trace_header finished = finished_header(header);
  write_all(&finished, sizeof finished);
}

void TraceStream::write_chunk(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) {
  dprof_chunk_header header = chunk_header(kind, thread, sequence, payload);
  write_all(&header, sizeof header);
  write_all(payload.data(), payload.size());
}

void TraceStream::write_end(const Bytes &json) { write_chunk(DPROF_CHUNK_END, 0, 0, json); }

void TraceStream::finish() {
  if (fd_ >= 0 && close(fd_) != 0 && !error_) error_ = errno;
  fd_ = -1;
}

} // namespace dprof
