// Stage: replay. For each core: the bytes of a line that other cores stored to since its last reference, and the last
// of those stores. Only lines that a second core has referenced are here (before that no core can have missed a store).
// Stores are numbered; sharing_pairs knows more of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/zeroed_array.h"
#include "batch/outcome.h"
#include "machine/machine.h"

namespace dprof {

struct SharedStore {
  uint64_t address; // first byte of the reference
  uint32_t size, slot;
  bool operator==(const SharedStore &) const = default;
};

class Sharing {
public:
  Sharing(uint32_t cores, uint32_t groups, uint32_t coresPerGroup, uint32_t lineBytes)
      : cores_(cores), consumers_(cores + groups), coresPerGroup_(coresPerGroup), wordsPerMask_((lineBytes + 63) / 64),
        maskWords_(1 + (size_t{consumers_} + 1) * wordsPerMask_) {}

  uint32_t create();
  /// TRUE_SHARING or FALSE_SHARING; HIT for neither. Consumers are the cores, then the groups of cores behind each LLC.
  uint32_t classify(uint32_t line, uint32_t consumer, uint32_t first, uint32_t length);
  /// The number of the last store before a reference that `classify` called sharing.
  uint32_t lastStore(uint32_t line, uint32_t core, bool trueSharing, uint32_t first, uint32_t length);
  /// The core has made its reference: it has seen every store so far.
  void seen(uint32_t line, uint32_t core);
  /// Returns the store's number. The number of an earlier store is used again once that store counts no more, so there
  /// are only as many numbers as stores that matter at a time.
  uint32_t store(uint32_t line, uint32_t core, uint32_t first, const SharedStore &store);

private:
  struct Entry {
    SharedStore store;
    uint32_t number;
    uint64_t sequence;
  };
  /// The stores to one line.
  struct SharedLine {
    uint32_t lastEntry = 0;
    uint64_t sequence = 0;
    std::vector<Entry> entries; // each the last store to the bytes of its mask
    std::vector<uint64_t> entryMasks;
  };
  /// One block of words holds everything that each miss asks for: the only core that stored since masks were handed
  /// out, + 1; a mask per consumer; then the bytes which that core stored and which are not yet in the others' masks.
  uint64_t *masks(uint32_t line) { return &masks_[line * maskWords_]; }
  uint64_t *mask(uint64_t *masks, uint32_t consumer) const { return masks + 1 + size_t{consumer} * wordsPerMask_; }
  uint64_t word(uint32_t index, uint32_t first, uint32_t length) const;
  void handOut(uint64_t *masks);
  size_t placeOf(SharedLine &line, uint64_t *stored, uint32_t first, const SharedStore &store);
  size_t placeOfWord(SharedLine &line, uint64_t &stored, uint32_t first, const SharedStore &store);
  void addEntry(SharedLine &line);

  const uint32_t cores_, consumers_, coresPerGroup_, wordsPerMask_;
  const size_t maskWords_; // of a line
  ZeroedArray<uint64_t> masks_;
  size_t room_ = 0; // lines
  std::vector<SharedLine> lines_{1};
  uint32_t stores_ = 0; // numbers given
};

} // namespace dprof
