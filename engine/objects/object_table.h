// Stage: replay. Rows of objects by number -> the columns of result.ts's ObjectTable and ObjectCounterTable. Usually
// all columns are made at once. If there are too many rows for memory, they go into a file in chunks of rows, column
// after column, which src/replay/stored-objects.ts reads.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "objects/object_log.h"

namespace dprof {

struct ObjectColumns {
  std::vector<double> address, sizeBytes, bornAt, diedAt, lives, lifetime, references;
  std::vector<uint32_t> allocationSlot, variable, freeSlot, type, thread, callPath;
  std::vector<uint16_t> core;
  std::vector<uint8_t> kind, flags;
  // The columns of the counters; `object` counts from the first row of all.
  std::vector<double> value;
  std::vector<uint32_t> object;
  std::vector<uint8_t> counter;

  void add(const ObjectRow &row, const ObjectCount *counts);
  void clear();
  /// Visits columns in the order in which they lie in a file; wider elements come first, so that none needs padding.
  template <typename Visit> void eachOfObjects(Visit visit) const {
    visit("address", address), visit("sizeBytes", sizeBytes), visit("bornAt", bornAt), visit("diedAt", diedAt),
        visit("lives", lives);
    visit("lifetime", lifetime), visit("references", references), visit("allocationSlot", allocationSlot),
        visit("variable", variable);
    visit("freeSlot", freeSlot), visit("type", type), visit("thread", thread), visit("callPath", callPath),
        visit("core", core), visit("kind", kind), visit("flags", flags);
  }
  template <typename Visit> void eachOfCounters(Visit visit) const {
    visit("value", value), visit("object", object), visit("counter", counter);
  }
};

/// Chunks of columns in a file, each table's on a multiple of 8 bytes.
struct StoredObjects {
  static constexpr size_t ROWS = 65536;
  struct Chunk {
    uint64_t offset, rows, counters;
  };
  TemporaryFile file;
  std::vector<Chunk> chunks;
};

/// The log is empty afterwards.
StoredObjects storeObjects(ObjectLog &log, const std::string &folder);

} // namespace dprof
