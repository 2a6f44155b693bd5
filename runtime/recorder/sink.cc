// Stage: recorder. The bytes that every sink writes in front of a trace and of each chunk.
#include "sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

namespace dprof {

dprof_trace_header finished_header(dprof_trace_header header) {
  memcpy(header.magic, DPROF_TRACE_MAGIC, sizeof header.magic);
  header.version = DPROF_TRACE_VERSION;
  header.header_bytes = sizeof header;
  header.checksum = checksum(&header, sizeof header - sizeof header.checksum);
  return header;
}

dprof_chunk_header chunk_header(dprof_chunk_kind kind, uint32_t thread, uint32_t sequence, const Bytes &payload) {
  dprof_chunk_header header = {};
  header.magic = DPROF_CHUNK_MAGIC;
  header.kind = (uint16_t)kind;
  header.thread = thread;
  header.sequence = sequence;
  header.payload_bytes = (uint32_t)payload.size();
  header.payload_checksum = checksum(payload.data(), payload.size());
  header.header_checksum = checksum(&header, sizeof header - sizeof header.header_checksum);
  return header;
}

int write_rest(int fd, const char **bytes, size_t *count) {
  while (*count) {
    ssize_t n = write(fd, *bytes, *count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    *bytes += n;
    *count -= (size_t)n;
  }
  return 0;
}

} // namespace dprof
