// Stage: replay. Which lines of each object were referenced, and so in which sets they may lie. docs/data-flow.md,
// "Sets". There is a bit per line; for an object over many lines only for those around touched ones.
#pragma once

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/counts.h"
#include "base/huge_vector.h"
#include "flow/life.h"
#include "machine/set_bins.h"
#include "objects/object_lives.h"

namespace dprof {

class ObjectLines {
public:
  ObjectLines(const Machine &machine, PageMap &pages);

  /// Touched for the first time, in order. Lines are numbered as granules are.
  void addPage(uint32_t frame, uint64_t page);
  bool isNew(const Life &life, uint32_t line) const { return lastOf_[line] != life.object; }
  /// By line: the object that referenced it last, as a Life has its number.
  const uint32_t *lastObjects() const { return lastOf_.data(); }
  /// Narrows the addresses from first to last to lines around that of `address` that the object has referenced; false
  /// for an object over many lines.
  bool narrow(const Life &life, const LiveObject &object, uint64_t address, uint64_t &first, uint64_t &last) const {
    if (!isSmall(object)) return false;
    const uint64_t begin = object.start >> lineShift_, at = (address >> lineShift_) - begin;
    const uint64_t below = ~life.lines & ((uint64_t{1} << at) - 1), above = ~life.lines >> at;
    const uint64_t from = begin + 64 - static_cast<unsigned>(std::countl_zero(below)),
                   to = begin + at + static_cast<unsigned>(std::countr_zero(above));
    if (below) first = std::max(first, from << lineShift_);
    if (above) last = std::min(last, (to << lineShift_) - 1);
    return true;
  }
  void fetch(uint32_t line) const { __builtin_prefetch(&lastOf_[line]); }
  /// A reference to the object, to bytes of that line from the address on.
  void add(Life &life, const LiveObject &object, uint32_t line, uint64_t address) {
    lastOf_[line] = life.object;
    const uint64_t number = address >> lineShift_;
    if (isSmall(object))
      life.lines |= uint64_t{1} << (number - (object.start >> lineShift_));
    else
      addFar(life, number);
  }
  /// The object is referenced no more. `reading`: as a row of types.
  void settle(Life &life, const LiveObject &object, uint32_t reading);
  void restart();
  void forget(Life &life) { life.lines = 0; }

  Counts lines, objects; // by `key`
  static uint32_t readingOf(uint64_t key) { return static_cast<uint32_t>(key >> 10); }
  static uint8_t levelOf(uint64_t key) { return key >> 8 & 3; }
  static uint8_t binOf(uint64_t key) { return static_cast<uint8_t>(key); }
  std::vector<uint64_t> linesPerSet[3];

private:
  using Words = std::unordered_map<uint64_t, uint64_t>; // 64 lines each
  bool isSmall(const LiveObject &object) const {
    if (object.size <= surelySmall_) [[likely]]
      return true;
    return (lastOf(object.start, object.size) >> lineShift_) - (object.start >> lineShift_) < 64;
  }
  [[gnu::noinline]] void addFar(Life &life, uint64_t number);
  void count(uint32_t reading, uint64_t firstLine, uint64_t bits);
  void countObject(uint32_t reading);

  const unsigned lineShift_, linesShift_;
  const uint64_t surelySmall_;      // bytes of 63 lines: they lie on 64 at most
  const std::vector<SetBins> bins_; // by level
  LinePlaces places_;
  PageMap &pages_;
  HugeVector<uint32_t> lastOf_;                    // by line: object + 1, which has its bit
  HugeVector<uint32_t> readingOf_;                 // by line: the first reading that had it, + 1
  std::unordered_set<uint64_t> furtherReadings_;   // line and reading
  std::vector<Words> far_ = std::vector<Words>(1); // of objects that are not small; Life::lines is the place
  std::vector<uint32_t> freeFar_;
  uint64_t met_[3][SetBins::MOST / 64] = {}; // bins that the object at hand has a line in
};

} // namespace dprof
