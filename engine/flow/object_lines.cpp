// Stage: replay. An object's lines are counted when it has ended for good.
#include "flow/object_lines.h"

#include <bit>

namespace dprof {

ObjectLines::ObjectLines(const Machine &machine, PageMap &pages)
    : lineShift_(machine.lineShift), linesShift_(PageMap::pageShift - machine.lineShift),
      surelySmall_(uint64_t{63} << machine.lineShift), bins_(std::begin(machine.level), std::end(machine.level)),
      places_(machine), pages_(pages), lastOf_(size_t{1} << linesShift_), readingOf_(size_t{1} << linesShift_) {
  for (unsigned level = 0; level < 3; level++) linesPerSet[level].resize(bins_[level].sets);
}

void ObjectLines::addPage(uint32_t frame, uint64_t page) {
  places_.add(page);
  size_t lines = (size_t{frame} + 1) << linesShift_;
  if (lines <= lastOf_.size()) return;
  lines = std::max(lines, lastOf_.size() * 2);
  lastOf_.resize(lines);
  readingOf_.resize(lines);
}

void ObjectLines::addFar(Life &life, uint64_t number) {
  if (!life.lines) {
    if (freeFar_.empty()) {
      life.lines = far_.size();
      far_.emplace_back();
    } else {
      life.lines = freeFar_.back();
      freeFar_.pop_back();
    }
  }
  far_[life.lines][number / 64] |= uint64_t{1} << number % 64;
}

void ObjectLines::settle(Life &life, const LiveObject &object, uint32_t reading) {
  if (isSmall(object)) {
    count(reading, object.start >> lineShift_, life.lines);
  } else {
    for (const auto &[word, bits] : far_[life.lines]) count(reading, word * 64, bits);
    far_[life.lines] = {};
    freeFar_.push_back(static_cast<uint32_t>(life.lines));
  }
  life.lines = 0;
  countObject(reading);
}

void ObjectLines::count(uint32_t reading, uint64_t firstLine, uint64_t bits) {
  uint64_t page = ~uint64_t{0};
  uint32_t frame = 0;
  for (; bits; bits &= bits - 1) {
    const uint64_t number = firstLine + static_cast<unsigned>(std::countr_zero(bits)), place = places_.of(number);
    if (number >> linesShift_ != page) frame = pages_.find(page = number >> linesShift_);
    const uint32_t line = frame << linesShift_ | static_cast<uint32_t>(number & ((uint64_t{1} << linesShift_) - 1));
    uint32_t &first = readingOf_[line];
    const bool isFirst = first == 0;
    if (isFirst) first = reading + 1;
    const bool isNew =
        isFirst || (first != reading + 1 && furtherReadings_.insert(uint64_t{line} << 32 | reading).second);
    for (unsigned level = 0; level < 3; level++) {
      uint32_t set = bins_[level].setOf(place), bin = bins_[level].binOf(set);
      linesPerSet[level][set] += isFirst;
      if (isNew) lines.add(uint64_t{reading} << 10 | level << 8 | bin);
      met_[level][bin / 64] |= uint64_t{1} << bin % 64;
    }
  }
}

void ObjectLines::countObject(uint32_t reading) {
  for (unsigned level = 0; level < 3; level++)
    for (uint32_t word = 0; word < SetBins::MOST / 64; word++)
      for (uint64_t &bits = met_[level][word]; bits; bits &= bits - 1)
        objects.add(uint64_t{reading} << 10 | level << 8 | (word * 64 + static_cast<uint32_t>(std::countr_zero(bits))));
}

void ObjectLines::restart() {
  lines = {};
  objects = {};
  for (std::vector<uint64_t> &sets : linesPerSet) std::fill(sets.begin(), sets.end(), 0);
  std::fill(lastOf_.begin(), lastOf_.end(), 0);
  std::fill(readingOf_.begin(), readingOf_.end(), 0);
  furtherReadings_.clear();
  far_.assign(1, {});
  freeFar_.clear();
}

} // namespace dprof
