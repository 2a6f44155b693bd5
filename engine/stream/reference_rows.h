// Stage: trace -> stream. References in rows: what each is, and what nothing else of the trace says of it.
// src/stream/reference-rows.ts is the same.
#pragma once

#include <cstdint>
#include <vector>

namespace dprof {

/// What is asked for, beside slots: the rest costs nothing where it is not.
struct ReferenceColumns {
  bool address = false, size = false, thread = false, time = false, object = false;
};

struct ReferenceRows {
  std::vector<uint32_t> slot, size, thread;
  std::vector<uint64_t> address, time;
  std::vector<uint32_t> object; // its number; NO_INDEX: none
  size_t count() const { return slot.size(); }
  void clear() {
    for (std::vector<uint32_t> *column : {&slot, &size, &thread, &object}) column->clear();
    for (std::vector<uint64_t> *column : {&address, &time}) column->clear();
  }
};

} // namespace dprof
