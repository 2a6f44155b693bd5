// Stage: trace -> replay. The events column of a chunk: runtime events and the stamps of atomics, one entry at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/trace_error.h"
#include "dprof/abi.h"

namespace dprof {

/// Reads one unpacked column; every read is checked against its end.
struct Cursor {
  const uint8_t *at = nullptr, *begin = nullptr, *end = nullptr;
  uint64_t offset = 0; // of the chunk's payload in the file, for errors
  const char *name = "";

  bool done() const { return at == end; }
  [[noreturn]] void fail(const char *expected) const;
  uint8_t byte() {
    if (at == end) fail("one more byte");
    return *at++;
  }
  uint64_t varint() {
    if (at != end && *at < 0x80) return *at++;
    return longVarint();
  }
  uint64_t zigzag() {
    uint64_t n = varint();
    return (n >> 1) ^ (0 - (n & 1));
  }
  /// Reads the next zigzag if `take`; else reads nothing and returns 0. No branch depends on `take` or on the length,
  /// unless the length is above 8 bytes.
  uint64_t zigzagIf(bool take) {
    uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    uint64_t stops = ~bytes & 0x8080808080808080;
    if (take && (stops == 0 || end - at < 8)) return zigzag();
    // Takes the bytes up to the first without a continuation bit, and moves their 7 bits together.
    uint64_t n = bytes & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7f;
    n = (n & 0x007f007f007f007f) | (n & 0x7f007f007f007f00) >> 1;
    n = (n & 0x00003fff00003fff) | (n & 0x3fff00003fff0000) >> 2;
    n = (n & 0x000000000fffffff) | (n & 0x0fffffff00000000) >> 4;
    at += take ? (std::countr_zero(stops) >> 3) + 1 : 0;
    return take ? (n >> 1) ^ (0 - (n & 1)) : 0;
  }
  /// Bytes that must be readable behind a column's end.
  static constexpr size_t SLACK = 8;

private:
  uint64_t longVarint();
};

/// Fields as the table of events (dprof/abi.h) names them. A field that a kind does not have is 0.
struct Event {
  uint8_t code, detail;
  uint64_t stamp;
  uint64_t address; // or the object
  uint64_t size;    // size in bytes of the range that begins there; unseen bytes
  uint64_t number;  // of lost paths, of a signal, a mark's
  uint64_t pool;    // of a part
  uint32_t creator, unit, variable;
  uint32_t cpu;            // all ones: no CPU
  const std::string *text; // a mark's text, owned by the reader; null: the thread has had too many
};

constexpr uint32_t NO_CPU = 0xffffffff;

/// Whether an event with the detail has a field.
constexpr bool hasField(int when, uint8_t detail) { return when == DPROF_EVENT_ANY || when == detail; }

inline bool hasStamp(uint8_t code) {
#define DPROF_FIELD_IS_STAMP(encoding, name, when) || std::string_view(#encoding) == "STAMP"
#define DPROF_EVENT_STAMPED(name, code, fields) | ((false fields) ? 1u << code : 0)
  constexpr uint32_t STAMPED = 0 DPROF_EVENTS(DPROF_EVENT_STAMPED, DPROF_FIELD_IS_STAMP);
#undef DPROF_FIELD_IS_STAMP
#undef DPROF_EVENT_STAMPED
  return STAMPED >> code & 1;
}
inline bool isKernelRange(const Event &event) {
  return event.code == DPROF_EVENT_UNSEEN && event.detail == DPROF_UNSEEN_KERNEL_RANGE;
}
/// Chunks of the thread are missing before what comes next.
inline bool isGap(const Event &event) { return event.code == DPROF_EVENT_LOST && event.detail == DPROF_LOST_CHUNKS; }
inline bool isRelease(uint8_t code) {
  return code == DPROF_EVENT_RELEASE || code == DPROF_EVENT_BOTH || code == DPROF_EVENT_FREE ||
         code == DPROF_EVENT_THREAD_END;
}
/// Whether the event frees a range. A free of a pool does not: only the replay knows which parts the pool has.
inline bool freesRange(const Event &event) {
  return event.code == DPROF_EVENT_FREE && event.detail != DPROF_ALLOCATOR_POOL;
}
/// Whether memory is handed out by the event.
inline bool takesMemory(const Event &event) {
  return event.code == DPROF_EVENT_THREAD_START || event.code == DPROF_EVENT_ALLOCATE;
}
/// Whether the event is synchronisation whose object is an address.
inline bool isAtAddress(const Event &event) {
  return (event.code == DPROF_EVENT_RELEASE || event.code == DPROF_EVENT_ACQUIRE || event.code == DPROF_EVENT_BOTH) &&
         event.detail != DPROF_SYNC_THREAD_CREATE && event.detail != DPROF_SYNC_THREAD_JOIN &&
         event.detail != DPROF_SYNC_FILE && event.detail != DPROF_SYNC_PROCESS;
}
inline bool isAcquire(uint8_t code) {
  return code == DPROF_EVENT_ACQUIRE || code == DPROF_EVENT_BOTH || code == DPROF_EVENT_ALLOCATE ||
         code == DPROF_EVENT_THREAD_START;
}

/// A varint of up to 4 bytes: takes the bytes up to the first without a continuation bit, and moves their 7 bits
/// together. No branch depends on their number. Moves `at` behind it; false: it has more bytes.
[[gnu::always_inline]] inline bool shortVarint(const uint8_t *&at, uint32_t &value) {
  std::memcpy(&value, at, sizeof value);
  const uint32_t stops = ~value & 0x80808080;
  if (stops == 0) [[unlikely]]
    return false;
  value &= (stops ^ (stops - 1)) & 0x7f7f7f7f;
  value -= value >> 1 & 0x3f803f80;
  value -= (value >> 16) * 0xc000;
  at += (std::countr_zero(stops) >> 3) + 1;
  return true;
}

/// Prediction state of one chunk's events column. It also checks the rule that stamps rise along a thread.
class EventReader {
public:
  /// `kept`: texts of marks that are always kept, even beyond the limit.
  explicit EventReader(const std::vector<std::string> &kept = {})
      : texts_(kept.begin(), kept.end()), mostTexts_(MOST_MARKS + texts_.size()) {}
  void restart(Cursor column) {
    column_ = column;
    stamp_ = 0;
    for (uint64_t &address : address_) address = 0;
  }
  bool done() const { return column_.done(); }
  void next(Event &event) {
    if (!quickNext(event)) [[unlikely]]
      anyNext(event);
  }

  /// The most marks that are kept for a thread and for a trace.
  static constexpr size_t MOST_MARKS = 4096;

  /// Reads the next event if it is synchronisation on an object, with numbers as short as nearly all are.
  bool quickNext(Event &event);

private:
  void anyNext(Event &event);
  const std::string *readText();
  void readStamp(uint64_t &stamp);
  uint32_t readIndex();
  Cursor column_;
  uint64_t stamp_ = 0;
  uint64_t address_[16] = {};
  uint64_t lastStamp_ = 0; // along the thread
  bool stamped_ = false;
  std::set<std::string> texts_; // never moved: events point there
  size_t mostTexts_;
};

inline bool EventReader::quickNext(Event &event) {
  const uint8_t *at = column_.at;
  if (column_.end - at < 1 + 2 * 4) return false;
  const uint32_t head = *at++, code = head & 15;
  static_assert(DPROF_EVENT_ACQUIRE == DPROF_EVENT_RELEASE + 1 && DPROF_EVENT_BOTH == DPROF_EVENT_RELEASE + 2);
  uint32_t stamp, address;
  if (code - DPROF_EVENT_RELEASE > 2u || !shortVarint(at, stamp) || !shortVarint(at, address)) return false;
  const uint64_t now = stamp_ + stamp;
  if (now <= lastStamp_ || !stamped_) return false;
  lastStamp_ = stamp_ = now;
  const uint64_t place = address_[code] +=
      static_cast<uint64_t>(int64_t{static_cast<int32_t>((address >> 1) ^ (0 - (address & 1)))});
  column_.at = at;
  event = {};
  event.code = static_cast<uint8_t>(code);
  event.detail = static_cast<uint8_t>(head >> 4);
  event.stamp = now;
  event.address = place;
  return true;
}

} // namespace dprof
