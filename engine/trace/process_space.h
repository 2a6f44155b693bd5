// Stage: trace -> replay. One of several processes that are replayed together: maps its threads, units, paths and
// addresses to those of the whole (docs/replay/processes.md). The mirror of src/order/address-space.ts.
#pragma once

#include "trace/column.h"
#include "trace/input.h"

namespace dprof {

constexpr uint64_t SPACE_BYTES = uint64_t{1} << 47;

struct OwnPaths {
  uint64_t first = 0, end = ~uint64_t{0};
};

/// As `SharedPieces` of src/contract/input.ts.
struct SharedColumns {
  Column<double> begin, end, target, mappedAt, wholeAt, wholeBytes;
  Column<uint64_t> from, to;
};

struct ProcessSpace {
  std::string path;
  std::shared_ptr<const TraceFile> file;
  OwnPaths paths; // in the catalog
  uint32_t firstUnit;
  uint64_t base;
  Column<uint32_t> threads; // indexed by the process's own thread numbers
  SharedColumns shared;
};

inline const TraceFile &fileOf(const ThreadChunks &chunks, const TraceFile &only) {
  return chunks.process ? *chunks.process->file : only;
}
inline OwnPaths ownPaths(const ThreadChunks &chunks) { return chunks.process ? chunks.process->paths : OwnPaths{}; }

/// Runs `read`; if it throws and there are several traces, adds the name of the trace to the error.
template <typename Read> auto named(const ThreadChunks &chunks, Read read) {
  if (!chunks.process) return read();
  try {
    return read();
  } catch (const TraceError &error) {
    throw TraceError(chunks.process->path + ": " + error.what(), error.offset, error.expected, error.actual);
  }
}

/// Maps addresses along one thread: the meaning of an address depends on the thread's last stamp.
class SpaceCursor {
public:
  explicit SpaceCursor(const ThreadChunks &chunks) : process_(chunks.process), first_(chunks.first) {}

  void place(Event &event) {
    if (process_) placeEvent(event);
  }
  /// 0 is nowhere in any process. An address beyond the space is nowhere, and is refused where it is used.
  uint64_t place(uint64_t address) const;
  /// The same for the address of an ALLOCATION record.
  uint64_t placeAllocated(uint64_t address) const;

private:
  static constexpr size_t NO_PIECE = ~size_t{0};
  void placeEvent(Event &event);
  void allocate(Event &event);
  uint64_t thread(uint64_t number) const;
  size_t pieceAt(uint64_t address) const;

  const ProcessSpace *process_;
  bool first_;
  uint64_t stamp_ = 0;
};

} // namespace dprof
