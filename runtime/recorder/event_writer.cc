// Stage: recorder. One entry per event; prediction restarts in each chunk.
#include "event_writer.h"

#include <utility>

#include "path_table.h"

namespace dprof {
namespace {

constexpr bool has_field(int when, uint64_t detail) { return when == DPROF_EVENT_ANY || (uint64_t)when == detail; }

#define DPROF_NO_FIELD(encoding, name, when)
#define DPROF_FITS(name, code, fields) static_assert(code > 0 && code < 16, "an entry has four bits for its code");
DPROF_EVENTS(DPROF_FITS, DPROF_NO_FIELD)
#undef DPROF_FITS
#undef DPROF_NO_FIELD

// How many words a field is in the log; a text may have more.
constexpr unsigned WORDS_STAMP = 1, WORDS_ADDRESS = 1, WORDS_NUMBER = 1, WORDS_INDEX = 1, WORDS_POINTER = 1,
                   WORDS_END = 1, WORDS_UNIT = 0, WORDS_VARIABLE = 1, WORDS_TEXT = 1;

// Whether an event of so many words is one that this recorder knows.
bool fits(uint64_t code, uint64_t detail, uint64_t n) {
  switch (code) {
    case DPROF_EVENT_BOTH: // an atomic's comes with a path
      if (detail == DPROF_SYNC_TEAM) break;
      return false;
    case DPROF_EVENT_MAPPING: return n == DPROF_MAPPING_WORDS;
    case DPROF_EVENT_MARK:
      if (n > EventWriter::most_words) return false;
      n = n < 3 ? n : 3;
  }
#define DPROF_WORDS(encoding, name, when) +(has_field(when, detail) ? WORDS_##encoding : 0)
#define DPROF_CASE(name, code, fields)                                                                                 \
  case DPROF_EVENT_##name: return n == 0 fields;
  switch (code) { DPROF_EVENTS(DPROF_CASE, DPROF_WORDS) }
#undef DPROF_WORDS
#undef DPROF_CASE
  return false;
}

} // namespace

uint64_t EventWriter::words_of(uint64_t header) {
  uint64_t code = header & 0xff, n = header >> 8 & 0xff, detail = header >> 16 & 0xffff;
  bool known = n && detail <= 15 && fits(code, detail, n);
  return known ? n : 0;
}

void EventWriter::put_code(uint64_t code, uint64_t detail) {
  column_.put_byte((uint8_t)(code | detail << 4));
  entries_++;
}

// Stamps rise strictly along a thread. An event that a signal handler interrupted comes after the handler's, and so
// does its stamp.
void EventWriter::put_stamp(uint64_t stamp) {
  if (stamp <= last_stamp_) stamp = last_stamp_ + 1;
  last_stamp_ = stamp;
  column_.put_varint(stamp - chunk_stamp_);
  chunk_stamp_ = stamp;
}

void EventWriter::put_address(uint64_t code, uint64_t address) {
  column_.put_zigzag(address - chunk_address_[code]);
  chunk_address_[code] = address;
}

void EventWriter::put_atomic(unsigned code, uint64_t stamp, uint64_t address) {
  put_code(code, DPROF_SYNC_ATOMIC);
  put_stamp(stamp);
  put_address(code, address);
}

void EventWriter::put_time(uint64_t stamp, uint64_t cpu) {
  put_code(DPROF_EVENT_TIME, 0);
  put_stamp(stamp);
  column_.put_varint(cpu);
}

bool EventWriter::put(const uint64_t *event, const PathTable &table) {
  uint64_t code = event[0] & 0xff;
  const uint64_t *w = event + 1;
  VariableName name = {};
  if (code == DPROF_EVENT_THREAD_LOCAL && !table.find_variable(w[0], &name)) return false;
  if (code == DPROF_EVENT_TIME) {
    put_time(w[0], w[1]);
    return true;
  }
  if (code == DPROF_EVENT_LOST) lost_ += w[0];
  uint64_t detail = event[0] >> 16 & 15;
  put_code(code, detail);
#define DPROF_PUT_STAMP() put_stamp(*w++)
#define DPROF_PUT_ADDRESS() put_address(code, *w++)
#define DPROF_PUT_NUMBER() column_.put_varint(*w++)
#define DPROF_PUT_INDEX() column_.put_varint(*w++)
#define DPROF_PUT_POINTER() column_.put_varint(*w++)
#define DPROF_PUT_END() column_.put_varint(w[0] - w[-1]), w++
#define DPROF_PUT_UNIT() column_.put_varint(name.unit)
#define DPROF_PUT_VARIABLE() column_.put_varint(name.variable), w++
#define DPROF_PUT_TEXT() put_text(*w, w + 1, event + 1 + words_of(event[0]))
#define DPROF_PUT(encoding, name, when)                                                                                \
  if (has_field(when, detail)) DPROF_PUT_##encoding();
#define DPROF_CASE(name, code, fields)                                                                                 \
  case DPROF_EVENT_##name: fields break;
  switch (code) { DPROF_EVENTS(DPROF_CASE, DPROF_PUT) }
  return true;
}

void EventWriter::put_text(uint64_t bytes, const uint64_t *words, const uint64_t *end) {
  uint64_t most = 8 * (uint64_t)(end - words);
  if (bytes > most) bytes = most;
  column_.reserve(longest_entry + bytes);
  column_.put_varint(bytes);
  for (uint64_t i = 0; i < bytes; i++) column_.put_byte((uint8_t)(words[i / 8] >> 8 * (i % 8)));
}

void EventWriter::take(Column &column) {
  column.clear();
  std::swap(column, column_);
  entries_ = 0;
  chunk_stamp_ = 0;
  for (uint64_t &address : chunk_address_) address = 0;
}

} // namespace dprof
