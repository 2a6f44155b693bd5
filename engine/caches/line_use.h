// Stage: replay. Which bytes of the lines in the L1s were touched while they are there: a bit a byte, per L1 and line.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/machine.h"

namespace dprof {

class LineUse {
public:
  explicit LineUse(const Machine &machine) : words(machine.lineWords()), units_(machine.cores) {}

  /// The line comes in.
  void begin(uint32_t unit, uint32_t line) {
    std::vector<uint64_t> &bits = units_[unit];
    size_t at = size_t{line} * words;
    if (at + words > bits.size()) bits.resize(std::max(at + words, bits.size() * 2));
    std::fill_n(bits.begin() + static_cast<ptrdiff_t>(at), words, 0);
  }
  /// A reference touches bytes [first, first + length) of a line that is in.
  void use(uint32_t unit, uint32_t line, uint32_t first, uint32_t length) {
    uint64_t *bits = &units_[unit][size_t{line} * words];
    if (words == 1) [[likely]] {
      *bits |= ~uint64_t{0} >> (64 - length) << first;
      return;
    }
    for (uint32_t word = first / 64; word <= (first + length - 1) / 64; word++) {
      uint32_t from = std::max(first, word * 64), to = std::min(first + length, word * 64 + 64);
      bits[word] |= (to - from == 64 ? ~uint64_t{0} : (uint64_t{1} << (to - from)) - 1) << (from & 63);
    }
  }
  const uint64_t *of(uint32_t unit, uint32_t line) const { return &units_[unit][size_t{line} * words]; }

  const uint32_t words; // per line

private:
  std::vector<std::vector<uint64_t>> units_;
};

} // namespace dprof
