// Stage: trace -> replay. Decodes entries of an events column (docs/trace-format.md) into events.
#include "trace/event.h"

namespace dprof {

void Cursor::fail(const char *expected) const {
  throw TraceError(std::string(name) + " column, byte " + std::to_string(at - begin) + " of the chunk's payload",
                   offset, expected, at == end ? "the column's end" : "byte " + std::to_string(*at));
}

uint64_t Cursor::longVarint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t next = byte();
    if (shift == 63 && next > 1) break;
    value |= (next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
  at--;
  fail("a varint of at most 64 bits");
}

const std::string *EventReader::text() {
  uint64_t bytes = column_.varint();
  if (bytes > DPROF_MARK_TEXT_BYTES)
    throw TraceError("text of a mark", column_.offset, "at most " + std::to_string(DPROF_MARK_TEXT_BYTES) + " bytes",
                     std::to_string(bytes));
  std::string text;
  while (text.size() < bytes) text += static_cast<char>(column_.byte());
  if (texts_.size() >= mostTexts_ && !texts_.contains(text)) return nullptr;
  return &*texts_.insert(std::move(text)).first;
}

Event EventReader::next() {
  Event event{};
  uint8_t head = column_.byte();
  event.code = head & 15;
  event.detail = head >> 4;
  auto address = [&] { event.address = address_[event.code] += column_.zigzag(); };
  if (hasStamp(event.code)) {
    event.stamp = stamp_ += column_.varint();
    if (stamped_ && event.stamp <= lastStamp_)
      throw TraceError("events column of a thread", column_.offset, "a stamp above " + std::to_string(lastStamp_),
                       std::to_string(event.stamp));
    lastStamp_ = event.stamp;
    stamped_ = true;
  }
  switch (event.code) {
    case DPROF_EVENT_TIME: event.cpu = static_cast<uint32_t>(std::min<uint64_t>(column_.varint(), NO_CPU)); break;
    case DPROF_EVENT_ALLOCATE:
    case DPROF_EVENT_FREE:
      address();
      event.size = column_.varint();
      if (event.code == DPROF_EVENT_ALLOCATE && event.detail == DPROF_ALLOCATOR_PART) event.pool = column_.varint();
      break;
    case DPROF_EVENT_RELEASE:
    case DPROF_EVENT_ACQUIRE:
    case DPROF_EVENT_BOTH: address(); break;
    case DPROF_EVENT_THREAD_START: event.creator = static_cast<uint32_t>(column_.varint()); [[fallthrough]];
    case DPROF_EVENT_THREAD_END:
      address();
      event.size = column_.varint();
      break;
    case DPROF_EVENT_BLOCKED: break;
    case DPROF_EVENT_UNSEEN:
      event.size = column_.varint();
      if (event.detail != DPROF_UNSEEN_KERNEL_RANGE) break;
      address();
      if (event.size > uint64_t{1} << 40 || event.address >= uint64_t{1} << 53 ||
          event.address + event.size >= uint64_t{1} << 53)
        throw TraceError("range written by the kernel in the events column", column_.offset,
                         "at most 2^40 bytes that end below 2^53",
                         std::to_string(event.size) + " bytes at " + std::to_string(event.address));
      break;
    case DPROF_EVENT_LOST:
    case DPROF_EVENT_SIGNAL: event.size = column_.varint(); break;
    case DPROF_EVENT_THREAD_LOCAL:
      event.unit = static_cast<uint32_t>(column_.varint());
      event.variable = static_cast<uint32_t>(column_.varint());
      address();
      break;
    case DPROF_EVENT_MARK:
      event.size = column_.varint();
      event.text = text();
      break;
    default: column_.at--; column_.fail("an event code");
  }
  return event;
}

} // namespace dprof
