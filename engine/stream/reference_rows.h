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

/// What is asked for, beside slots: the rest costs nothing where it is not.
struct ReferenceColumns {
  bool number = false, address = false, size = false, thread = false, core = false, time = false;
  bool object = false, offset = false, site = false, age = false;                    // of objects
  bool caller[CallersStart::MOST] = {};                                              // the nearest first
  bool outcome = false, evicted = false, evictedObject = false, invalidated = false; // of caches
  bool ofObjects() const { return object || offset || site || age || evictedObject; }
  bool timed() const { return time || age; }
  bool ofCallers() const {
    return std::any_of(std::begin(caller), std::end(caller), [](bool asked) { return asked; });
  }
  bool evicts() const { return evicted || evictedObject; }
  bool ofCaches() const { return outcome || evicts() || invalidated; }
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
  RowColumn<double> time;            // replay time before the step
  RowColumn<uint32_t> object;        // its number; NO_INDEX: none
  RowColumn<double> offset;          // of the address in the object
  RowColumn<uint32_t> site;          // slot of the object's allocation; NO_INDEX: none is known
  RowColumn<double> age;             // of the object's present life, in replay time
  RowColumn<uint32_t> outcome;       // outcome.h; an access over several lines costs what its first reference says
  RowColumn<double> evicted;         // address of the line that had to leave the core's L1; 0: none
  RowColumn<uint32_t> evictedObject; // that its first byte lies in; NO_INDEX: none
  RowColumn<uint32_t> invalidated;   // so many invalidations
  RowColumn<uint32_t> caller[CallersStart::MOST]; // functions; NO_INDEX: none that is known
  size_t count() const { return slot.size(); }
};

} // namespace dprof
