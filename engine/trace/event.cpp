// Stage: trace -> replay. Decodes entries of an events column (docs/trace-format.md) into events.
#include "trace/event.h"

namespace dprof {

void Cursor::fail(const char *expected) const {
  throw TraceError(std::string(name) + " column, byte " + std::to_string(at - begin) + " of the chunk's payload",
                   offset, expected, at == end ? "the column's end" : "byte " + std::to_string(*at));
}

uint64_t Cursor::longVarint() {
  uint64_t value = 0;
  if (end - at >= 2 && at[0] >= 0x80 && at[1] < 0x80) { // two bytes
    value = (at[0] & 0x7fu) | uint32_t{at[1]} << 7;
    at += 2;
    return value;
  }
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t next = byte();
    if (shift == 63 && next > 1) break;
    value |= (next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
  at--;
  fail("a varint of at most 64 bits");
}

const std::string *EventReader::readText() {
  uint64_t bytes = column_.varint();
  if (bytes > DPROF_MARK_TEXT_BYTES)
    throw TraceError("text of a mark", column_.offset, "at most " + std::to_string(DPROF_MARK_TEXT_BYTES) + " bytes",
                     std::to_string(bytes));
  std::string text;
  while (text.size() < bytes) text += static_cast<char>(column_.byte());
  if (texts_.size() >= mostTexts_ && !texts_.contains(text)) return nullptr;
  return &*texts_.insert(std::move(text)).first;
}

void EventReader::readStamp(uint64_t &stamp) {
  stamp = stamp_ += column_.varint();
  if (stamped_ && stamp <= lastStamp_)
    throw TraceError("events column of a thread", column_.offset, "a stamp above " + std::to_string(lastStamp_),
                     std::to_string(stamp));
  lastStamp_ = stamp;
  stamped_ = true;
}

/// An index that has more than 32 bits becomes the one that names nothing.
uint32_t EventReader::readIndex() { return static_cast<uint32_t>(std::min<uint64_t>(column_.varint(), ~uint32_t{0})); }

void EventReader::anyNext(Event &event) {
  event = {};
  uint8_t head = column_.byte();
  event.code = head & 15;
  event.detail = head >> 4;
#define DPROF_READ_STAMP(member) readStamp(member)
#define DPROF_READ_ADDRESS(member) member = address_[event.code] += column_.zigzag()
#define DPROF_READ_NUMBER(member) member = column_.varint()
#define DPROF_READ_POINTER(member) member = column_.varint()
#define DPROF_READ_END(member) member = column_.varint()
#define DPROF_READ_INDEX(member) member = readIndex()
#define DPROF_READ_UNIT(member) member = readIndex()
#define DPROF_READ_VARIABLE(member) member = readIndex()
#define DPROF_READ_TEXT(member) member = readText()
#define DPROF_READ(encoding, name, when)                                                                               \
  if (hasField(when, event.detail)) DPROF_READ_##encoding(event.name);
#define DPROF_CASE(name, code, fields)                                                                                 \
  case DPROF_EVENT_##name: fields break;
  switch (event.code) {
    DPROF_EVENTS(DPROF_CASE, DPROF_READ)
    default: column_.at--; column_.fail("an event code");
  }
  if (isKernelRange(event) && (event.size > uint64_t{1} << 40 || event.address >= uint64_t{1} << 53 ||
                               event.address + event.size >= uint64_t{1} << 53))
    throw TraceError("range written by the kernel in the events column", column_.offset,
                     "at most 2^40 bytes that end below 2^53",
                     std::to_string(event.size) + " bytes at " + std::to_string(event.address));
}

} // namespace dprof
