// Stage: trace -> replay. Reads RAW chunks; lengths are checked before any use.
#include "trace/raw_column.h"

#include <cstring>

#include "dprof/live_trace.h"

namespace dprof {

constexpr size_t HEAD_WORDS = sizeof(dprof_live_raw) / sizeof(uint64_t);

ChunkHead RawColumn::load(const TraceFile &file, uint64_t offset, uint32_t bytes, Cursor &events) {
  if (bytes < sizeof(dprof_live_raw))
    throw TraceError("RAW chunk", offset, "at least 16 bytes of payload", std::to_string(bytes));
  if (payload_.size() < bytes / sizeof(uint64_t) + SLACK) payload_.resize(bytes / sizeof(uint64_t) + SLACK);
  file.read(offset, payload_.data(), bytes);
  dprof_live_raw head;
  std::memcpy(&head, payload_.data(), sizeof head);
  const uint64_t most = (bytes - sizeof head) / sizeof(uint64_t);
  if (head.words > most)
    throw TraceError("RAW chunk", offset + offsetof(dprof_live_raw, words), "at most " + std::to_string(most) + " words",
                     std::to_string(head.words));
  offset_ = offset;
  at = payload_.data() + HEAD_WORDS;
  end = at + head.words;
  const uint8_t *column = reinterpret_cast<const uint8_t *>(end),
                *behind = reinterpret_cast<const uint8_t *>(payload_.data()) + bytes;
  events = Cursor{column, column, behind, offset, "events"};
  return {head.steps, head.events};
}

void RawColumn::fail(const std::string &expected, const std::string &actual) const {
  const uint64_t bytes = static_cast<uint64_t>(at - payload_.data()) * sizeof(uint64_t);
  throw TraceError("words of a RAW chunk", offset_ + bytes, expected, actual);
}

void RawColumn::close() const {
  if (at != end) fail("the end of the words", std::to_string(end - at) + " more");
}

} // namespace dprof
