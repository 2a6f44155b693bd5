// Stage: replay. Which lines two cores have referenced, one of them storing; an object that covers a line lets it begin
// anew. docs/replay/attribution.md, "Object flags".
#pragma once

#include <cstdint>

#include "base/zeroed_array.h"

namespace dprof {

class WriteShared {
public:
  void grow(uint32_t lines) { lines_.grow(lines); }
  void restart(uint32_t line) { lines_[line] = {}; }
  /// A reference of the core; true if the line is of that kind now.
  bool pass(uint32_t number, uint32_t core, bool store) {
    Line &line = lines_[number];
    line.stored |= store;
    if (line.firstCore != core + 1) {
      line.manyCores = line.firstCore != 0;
      if (!line.manyCores) line.firstCore = static_cast<uint8_t>(core + 1);
    }
    return line.manyCores && line.stored;
  }

private:
  struct Line {
    uint8_t firstCore, manyCores, stored; // firstCore: + 1
  };
  ZeroedArray<Line> lines_;
};

} // namespace dprof
