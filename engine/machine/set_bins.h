// Stage: replay. The sets of a level, and the bins that they are counted in: as setBinsOf of src/contract/result.ts has
// them.
#pragma once

#include <bit>
#include <unordered_map>
#include <vector>

#include "base/page_map.h"
#include "machine/machine.h"

namespace dprof {

struct SetBins {
  static constexpr uint32_t MOST = 256;
  explicit SetBins(const LevelShape &shape)
      : sets(shape.sets), setsPerBin((sets + MOST - 1) / MOST), isPowerOfTwo_(std::has_single_bit(sets)),
        shift_(static_cast<unsigned>(std::countr_zero(setsPerBin))) {}
  /// `place`: what LinePlaces says of a line.
  uint32_t setOf(uint64_t place) const {
    return static_cast<uint32_t>(isPowerOfTwo_ ? place & (sets - 1) : place % sets);
  }
  uint32_t binOf(uint32_t set) const { return isPowerOfTwo_ ? set >> shift_ : set / setsPerBin; }

  uint32_t sets, setsPerBin;

private:
  bool isPowerOfTwo_;
  unsigned shift_;
};

/// A place's (set × ways + way) bin is its number times this, shifted: one through the places of a bin as a fixed-point
/// number rounded up, a multiplication for a division. Exact: of less than 2^28 places in at most 2^8 bins the product
/// has 62 bits, and what is rounded up adds less than 2^-26 of a bin, which has at most 2^24 places.
constexpr unsigned BIN_SHIFT = 54;
inline uint64_t binPerPlace(const LevelShape &shape) {
  uint64_t placesPerBin = uint64_t{(shape.sets + SetBins::MOST - 1) / SetBins::MOST} * shape.ways;
  return ((uint64_t{1} << BIN_SHIFT) + placesPerBin - 1) / placesPerBin;
}

/// Physical numbers of lines, which say their sets: pages are numbered as WholeHierarchy numbers them, from the same
/// list.
class LinePlaces {
public:
  explicit LinePlaces(const Machine &machine)
      : linesShift_(PageMap::pageShift - machine.lineShift), framesShift_(machine.whole.pageShift - PageMap::pageShift),
        seed_(machine.whole.seed), colouring_(machine.whole.plain ? Colouring::VIRTUAL : machine.whole.colouring) {}
  /// Touched for the first time, in order.
  void add(uint64_t page) {
    if (colouring_ != Colouring::VIRTUAL)
      numbers_.try_emplace(page >> framesShift_, static_cast<uint32_t>(numbers_.size()));
  }
  uint64_t of(uint64_t lineNumber) const {
    if (colouring_ == Colouring::VIRTUAL) return lineNumber;
    uint64_t page = lineNumber >> linesShift_;
    uint32_t number = numbers_.at(page >> framesShift_);
    uint64_t physical = colouring_ == Colouring::FIRST_TOUCH ? number : mix(seed_, number) % PHYSICAL_PAGES;
    return (physical << framesShift_ | (page & ((uint64_t{1} << framesShift_) - 1))) << linesShift_ |
           (lineNumber & ((uint64_t{1} << linesShift_) - 1));
  }

private:
  unsigned linesShift_, framesShift_;
  uint32_t seed_;
  Colouring colouring_;
  std::unordered_map<uint64_t, uint32_t> numbers_; // of the machine's pages
};

} // namespace dprof
