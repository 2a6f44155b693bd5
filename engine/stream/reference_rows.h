// Stage: replay -> stream. References in rows: what each is, what nothing else of the trace says of it, and what the
// caches did with it. src/stream/reference-rows.ts is the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "batch/reference_batch.h"

namespace dprof {

/// Names of columns, by level.
constexpr const char *EVICTED[] = {"evicted", "l2Evicted", "llcEvicted"},
                     *EVICTED_OBJECT[] = {"evictedObject", "l2EvictedObject", "llcEvictedObject"};

/// What is asked for, beside slots: the rest costs nothing where it is not.
struct ReferenceColumns {
  bool number = false, address = false, size = false, thread = false, core = false, time = false;
  bool object = false, offset = false, site = false, age = false; // of objects
  bool value = false;
  bool caller[CallersStart::MOST] = {}; // the nearest first
  // Of caches; by level:
  bool evicted[3] = {}, evictedObject[3] = {};
  bool outcome = false, invalidated = false;
  bool ofObjects() const { return object || offset || site || age || any(evictedObject); }
  bool timed() const { return time || age; }
  bool ofCallers() const { return any(caller); }
  bool evicts() const { return any(evicted) || any(evictedObject); }
  bool ofCaches() const { return outcome || evicts() || invalidated; }

private:
  template <size_t COUNT> static bool any(const bool (&asked)[COUNT]) {
    return std::find(std::begin(asked), std::end(asked), true) != std::end(asked);
  }
};

/// Entries that a vector grows by have no first value.
template <typename T> struct Uninitialised : std::allocator<T> {
  template <typename U> struct rebind {
    using other = Uninitialised<U>;
  };
  template <typename U> void construct(U *at) { ::new (static_cast<void *>(at)) U; }
  template <typename U, typename Value> void construct(U *at, Value &&value) {
    ::new (static_cast<void *>(at)) U(std::forward<Value>(value));
  }
};
template <typename T> using RowColumn = std::vector<T, Uninitialised<T>>;

/// Numbers of more than 32 bits are what JavaScript makes of them.
struct ReferenceRows {
  RowColumn<uint32_t> slot, size, thread;
  RowColumn<uint16_t> core;
  RowColumn<double> number; // of the row, from 0
  RowColumn<double> address;
  RowColumn<double> time;     // replay time before the step
  RowColumn<uint32_t> object; // its number; NO_INDEX: none
  RowColumn<double> offset;   // of the address in the object
  RowColumn<uint32_t> site;   // slot of the object's allocation; NO_INDEX: none is known
  RowColumn<double> age;      // of the object's present life, in replay time
  RowColumn<uint64_t> value;
  RowColumn<uint8_t> valueKnown; // a bit for each row, in words of 64; elsewhere the value is 0
  RowColumn<uint32_t> outcome;   // outcome.h; an access over several lines costs what its first reference says
  // By level: address of the line that had to leave the core's cache, 0: none; the object that its first byte lies in,
  // NO_INDEX: none.
  RowColumn<double> evicted[3];
  RowColumn<uint32_t> evictedObject[3];
  RowColumn<uint32_t> invalidated;                // so many invalidations
  RowColumn<uint32_t> caller[CallersStart::MOST]; // functions; NO_INDEX: none that is known
  size_t count() const { return slot.size(); }
};

} // namespace dprof
