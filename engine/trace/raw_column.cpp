// Stage: trace -> replay. Reads RAW chunks; lengths are checked before any use.
#include "trace/raw_column.h"

#include "dprof/live_trace.h"
#include "trace/live_source.h"

namespace dprof {

constexpr uint64_t MOST_RAW_WORDS = DPROF_LIVE_SLOT_WORDS - DPROF_LIVE_SLOT_SLACK;

ChunkHead RawColumn::load(const TraceFile &file, uint64_t offset, uint32_t bytes, Cursor &events) {
  dprof_live_raw head;
  if (bytes < sizeof head) throw TraceError("RAW chunk", offset, "at least 16 bytes of payload", std::to_string(bytes));
  if (!file.live()) throw TraceError("chunk kind", offset, "one that is in files", "a RAW chunk");
  file.read(offset, &head, sizeof head);
  if (head.words > MOST_RAW_WORDS)
    throw TraceError("RAW chunk", offset + offsetof(dprof_live_raw, words),
                     "at most " + std::to_string(MOST_RAW_WORDS) + " words", std::to_string(head.words));
  const size_t size = bytes - sizeof head;
  if (events_.size() < size + Cursor::SLACK) events_.resize(size + Cursor::SLACK);
  if (size) file.read(offset + sizeof head, events_.data(), size);
  events = Cursor{events_.data(), events_.data(), events_.data() + size, offset, "events"};
  offset_ = offset;
  at = begin_ = file.live()->rawWords();
  end = at + head.words;
  return {head.steps, head.events};
}

void RawColumn::fail(const std::string &expected, const std::string &actual) const {
  throw TraceError("word " + std::to_string(at - begin_) + " of a RAW chunk", offset_, expected, actual);
}

void RawColumn::close() const {
  if (at != end) fail("the end of the words", std::to_string(end - at) + " more");
}

} // namespace dprof
