// Stage: trace -> replay. Reads EVENTS chunks and unpacks their LZ4 columns; lengths are checked before any use.
#include "trace/column.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <lz4.h>
#include <unistd.h>

#include "dprof/trace_format.h"
#include "trace/live_source.h"

namespace dprof {

TraceFile::TraceFile(const std::string &path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw FileError("cannot open " + path + ": " + std::strerror(errno));
}

TraceFile::~TraceFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TraceFile::read(uint64_t offset, void *into, size_t bytes) const {
  if (live_) return live_->read(offset, into, bytes);
  for (size_t done = 0; done < bytes;) {
    ssize_t got = pread(descriptor_, static_cast<char *>(into) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw TraceError("trace file", offset + done, std::to_string(bytes - done) + " more bytes",
                       got < 0 ? std::strerror(errno) : "the file's end");
    done += static_cast<size_t>(got);
  }
}

static uint32_t littleEndian(const uint8_t *at) {
  return at[0] | at[1] << 8 | at[2] << 16 | static_cast<uint32_t>(at[3]) << 24;
}

ChunkHead ChunkColumns::load(const TraceFile &file, uint64_t offset, uint32_t bytes, unsigned first) {
  static const char *const names[3] = {"control", "words", "events"};
  static thread_local std::vector<uint8_t> packed; // one for all that are open
  uint8_t head[8];
  if (bytes < sizeof head)
    throw TraceError("EVENTS chunk", offset, "at least 8 bytes of payload", std::to_string(bytes));
  file.read(offset, head, sizeof head);
  uint64_t at = sizeof head;
  for (unsigned i = 0; i < 3; i++) {
    uint8_t lengths[8];
    if (bytes - at < 8) throw TraceError("column", offset + at, "at least 8 bytes", std::to_string(bytes - at));
    file.read(offset + at, lengths, 8);
    uint32_t stored = littleEndian(lengths), raw = littleEndian(lengths + 4);
    if (stored < 4 || stored > bytes - at - 4)
      throw TraceError("column length", offset + at, "4 to " + std::to_string(bytes - at - 4) + " bytes",
                       std::to_string(stored));
    if (raw > DPROF_CHUNK_MAX_BYTES)
      throw TraceError("column", offset + at + 4, "at most 67108864 unpacked bytes", std::to_string(raw));
    if (raw == 0 && stored != 4)
      throw TraceError("empty column", offset + at + 4, "4 stored bytes", std::to_string(stored));
    if (i >= first) {
      packed.resize(stored - 4);
      raw_[i].resize(raw + Cursor::SLACK);
      if (raw) {
        file.read(offset + at + 8, packed.data(), stored - 4);
        int got =
            LZ4_decompress_safe(reinterpret_cast<const char *>(packed.data()), reinterpret_cast<char *>(raw_[i].data()),
                                static_cast<int>(stored - 4), static_cast<int>(raw));
        if (got != static_cast<int>(raw))
          throw TraceError("column", offset + at + 4, std::to_string(raw) + " unpacked bytes", std::to_string(got));
      }
      cursor[i] = Cursor{raw_[i].data(), raw_[i].data(), raw_[i].data() + raw, offset, names[i]};
    }
    at += 4 + uint64_t{stored};
  }
  if (at != bytes)
    throw TraceError("EVENTS chunk", offset + at, "the payload's end", std::to_string(bytes - at) + " more bytes");
  return {littleEndian(head), littleEndian(head + 4)};
}

} // namespace dprof
