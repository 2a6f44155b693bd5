// Stage: trace -> replay. Memory that the order hands out before it was given back lives at a place of its own until it
// is given back: docs/replay/order.md, "Renamed memory". The mirror of src/order/renames.ts.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "trace/input.h"
#include "trace/place_steps.h"

namespace dprof {

/// Whether this ALLOCATE or THREAD_START may be renamed. Parts lie in other memory, and mappings end piece by piece.
inline bool isRenamable(const Event &event) {
  return event.code == DPROF_EVENT_THREAD_START ||
         (event.code == DPROF_EVENT_ALLOCATE && event.detail != DPROF_ALLOCATOR_PART &&
          event.detail != DPROF_ALLOCATOR_MMAP);
}

/// Whether the event gives back what may have been renamed.
inline bool endsMemory(const Event &event) {
  return event.code == DPROF_EVENT_THREAD_END ||
         (event.code == DPROF_EVENT_FREE && event.detail < DPROF_ALLOCATOR_MMAP);
}

class Renames {
public:
  explicit Renames(size_t processes) : arePlaces_(processes <= MOST_PROCESSES) {}

  /// Nothing is anywhere else than the program had it.
  bool isEmpty() const { return living_ == 0; }
  /// The key with which the memory at the address began that a thread means which is at `key`; none: the oldest.
  std::optional<uint64_t> birthAt(uint64_t address, uint64_t key) const {
    const Generation *found = generationAt(address, key);
    return found ? std::optional(found->key) : std::nullopt;
  }
  /// A place for memory that was not given back yet.
  std::optional<uint64_t> findPlace(uint64_t begin, uint64_t size) const;
  /// Such memory is handed out, and lives there.
  void rename(uint64_t begin, uint64_t size, uint64_t key, uint64_t place);
  /// Memory that was given back is handed out: it lies where the program had it, or in the renamed memory around it.
  void keep(uint64_t begin, uint64_t size, uint64_t key);
  /// Ends the memory that began at the address, as a thread means it which is at `key`.
  void end(uint64_t address, uint64_t key);

  uint64_t place(uint64_t address, uint64_t key) const {
    const Generation *found = generationAt(address, key);
    return found ? address + found->shift : address;
  }
  /// Moves an event's addresses.
  void place(Event &event, uint64_t key) const;

private:
  // 315 * 2^31 is a multiple of every usual number of sets, and of every size of page.
  static constexpr uint64_t STRIDE = uint64_t{315} << 31;
  static constexpr uint64_t FIRST_PLACE = ((uint64_t{1} << 52) + STRIDE - 1) / STRIDE * STRIDE;
  static constexpr uint64_t MOST_PLACES = 4096, MOST_PROCESSES = 30, LAST_END = (uint64_t{1} << 53) - 1;

  /// What an address means from the key of an allocation or thread start on.
  struct Generation {
    uint64_t key, begin, end, shift; // shift: to be added to its addresses, modulo 2^64
    uint32_t number;
  };
  struct Range {
    uint64_t end;
    std::vector<Generation> generations; // the oldest first
  };
  const Generation *generationAt(uint64_t address, uint64_t key) const {
    if (address - low_ >= bytes_) return nullptr;
    auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) return nullptr;
    const Range &range = std::prev(next)->second;
    if (address >= range.end) return nullptr;
    for (auto at = range.generations.rbegin(); at != range.generations.rend(); ++at)
      if (at->key <= key) return &*at;
    return nullptr;
  }
  void add(uint64_t key, uint64_t begin, uint64_t end, uint64_t shift);
  void cut(uint64_t address);
  void measure();

  std::map<uint64_t, Range> ranges_;    // by begin; no two overlap
  std::map<uint64_t, uint64_t> places_; // taken: begin -> end
  uint64_t low_ = 0, bytes_ = 0;        // of all ranges
  size_t living_ = 0;
  uint32_t made_ = 0;
  const bool arePlaces_;
};

/// The addresses of a thread's steps at one time, for `placeRecord`.
struct RenamedSpace {
  const Renames &renames;
  uint64_t key;
  uint64_t place(uint64_t address) const { return renames.place(address, key); }
  uint64_t placeAllocated(uint64_t address) const { return place(address); }
};

} // namespace dprof
