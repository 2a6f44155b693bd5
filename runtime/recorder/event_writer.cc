// Stage: recorder. One entry per event; prediction restarts in each chunk.
#include "event_writer.h"

#include <utility>

#include "path_table.h"

namespace dprof {
namespace {

// Words that follow the header of a runtime event; the recorder knows no others. A part has its pool besides, a range
// that the kernel wrote its address, a mark its text.
constexpr uint64_t event_words[] = {0, 2, 3, 3, 2, 2, 0, 4, 3, 1, 1, 1, 2, 1, 3, 6};

bool fits(uint64_t code, uint64_t detail, uint64_t n) {
  if (code == DPROF_EVENT_MARK) return n >= 3 && n <= EventWriter::most_words;
  bool has_pool = code == DPROF_EVENT_ALLOCATE && detail == DPROF_ALLOCATOR_PART;
  bool has_address = code == DPROF_EVENT_UNSEEN && detail == DPROF_UNSEEN_KERNEL_RANGE;
  return n == event_words[code] + (has_pool || has_address);
}

} // namespace

uint64_t EventWriter::words_of(uint64_t header) {
  uint64_t code = header & 0xff, n = header >> 8 & 0xff, detail = header >> 16 & 0xffff;
  bool known = code && code < sizeof event_words / sizeof event_words[0] && n && detail <= 15 && fits(code, detail, n);
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
  put_code(code, event[0] >> 16 & 15);
  switch (code) {
    case DPROF_EVENT_ALLOCATE:
    case DPROF_EVENT_FREE:
      put_stamp(w[0]);
      put_address(code, w[1]);
      column_.put_varint(w[2]);
      if (words_of(event[0]) > 3) column_.put_varint(w[3]);
      break;
    case DPROF_EVENT_RELEASE:
    case DPROF_EVENT_ACQUIRE:
      put_stamp(w[0]);
      put_address(code, w[1]);
      break;
    case DPROF_EVENT_THREAD_START:
      put_stamp(w[0]);
      column_.put_varint(w[1]);
      put_address(code, w[2]);
      column_.put_varint(w[3] - w[2]);
      break;
    case DPROF_EVENT_THREAD_END:
      put_stamp(w[0]);
      put_address(code, w[1]);
      column_.put_varint(w[2] - w[1]);
      break;
    case DPROF_EVENT_BLOCKED: put_stamp(w[0]); break;
    case DPROF_EVENT_UNSEEN:
      column_.put_varint(w[0]);
      if ((event[0] >> 16 & 15) == DPROF_UNSEEN_KERNEL_RANGE) put_address(code, w[1]);
      break;
    case DPROF_EVENT_LOST:
      lost_ += w[0];
      column_.put_varint(w[0]);
      break;
    case DPROF_EVENT_THREAD_LOCAL:
      column_.put_varint(name.unit);
      column_.put_varint(name.variable);
      put_address(code, w[1]);
      break;
    case DPROF_EVENT_MARK: put_mark(w, words_of(event[0]) - 3); break;
    default: column_.put_varint(w[0]); // SIGNAL
  }
  return true;
}

void EventWriter::put_mark(const uint64_t *words, uint64_t text_words) {
  uint64_t bytes = words[2] < 8 * text_words ? words[2] : 8 * text_words;
  column_.reserve(longest_entry + bytes);
  put_stamp(words[0]);
  column_.put_varint(words[1]);
  column_.put_varint(bytes);
  for (uint64_t i = 0; i < bytes; i++) column_.put_byte((uint8_t)(words[3 + i / 8] >> 8 * (i % 8)));
}

void EventWriter::take(Column &column) {
  column.clear();
  std::swap(column, column_);
  entries_ = 0;
  chunk_stamp_ = 0;
  for (uint64_t &address : chunk_address_) address = 0;
}

} // namespace dprof
