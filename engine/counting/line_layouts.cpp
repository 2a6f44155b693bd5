// Stage: replay. Layouts of lines: runs make them. Pieces that were met lately say theirs without their runs.
#include <algorithm>

#include "counting/unused_bytes.h"

namespace dprof {

/// The number of the line's layout, which the line keeps until an object on it changes.
uint32_t UnusedBytes::layOut(uint32_t granule) {
  const uint64_t address = objects_.addressOf(granule);
  if (parts_.size() + patternRuns_.size() > MOST_PARTS) {
    flush();
    forgetLayouts();
  }
  cut(address, granule);
  Segmented line;
  uint32_t layout;
  if (segment(line, address)) {
    uint64_t hash = line.count;
    for (uint32_t i = 0; i < line.count; i++)
      hash = (hash ^ line.segments[i].key ^ uint64_t{line.segments[i].bytes} << 56) * 0x9e3779b97f4a7c15ull;
    Segmented &same = segmented_[(hash >> 32) % LATELY];
    if (same.count != line.count || !std::equal(line.segments, line.segments + line.count, same.segments)) {
      split(address);
      line.layout = layoutOfRuns();
      same = line;
    }
    layout = same.layout;
  } else {
    split(address);
    layout = layoutOfRuns();
  }
  if (!isCopy_) objects_.lineNote(granule >> lineGranules_) = layout;
  return layout;
}

/// The line at hand, if what decides its rows fits.
bool UnusedBytes::segment(Segmented &line, uint64_t address) {
  if (pieces_.size() > MOST_SEGMENTS) return false;
  for (const Piece &piece : pieces_) {
    Segment &segment = line.segments[line.count++];
    segment = {0, piece.end - piece.begin, isOfLeaves(piece.object)};
    uint32_t phase;
    if (!segment.isPattern)
      segment.key = keyOf(piece.object);
    else if (hasPattern(piece, address, phase))
      segment.key = uint64_t{piece.object->declared} << 32 | phase;
    else
      return false;
  }
  return true;
}

uint32_t UnusedBytes::layoutOfRuns() {
  lineParts_.clear();
  for (const Run &run : runs_) {
    uint32_t bytes = run.end - run.begin;
    auto same = std::find_if(lineParts_.begin(), lineParts_.end(), [&](const Part &of) { return of.row == run.row; });
    if (same == lineParts_.end()) {
      lineParts_.push_back({0, run.row, 0});
      same = lineParts_.end() - 1;
    }
    same->mask |= ~uint64_t{0} >> (64 - bytes) << run.begin;
    same->bytes += bytes;
  }
  uint64_t hash = 0;
  for (const Part &part : lineParts_) hash = (hash ^ part.mask ^ part.row) * 0x9e3779b97f4a7c15ull;
  uint32_t &number = sameLayouts_[(hash >> 32) % LATELY];
  if (number) {
    const Layout &of = layouts_[number - firstLayout_];
    const Part *first = &parts_[of.firstPart];
    if (std::equal(lineParts_.begin(), lineParts_.end(), first, first + of.parts)) return number;
  }
  number = firstLayout_ + static_cast<uint32_t>(layouts_.size());
  layouts_.push_back({static_cast<uint32_t>(parts_.size()), static_cast<uint32_t>(lineParts_.size())});
  layoutCount_++;
  parts_.insert(parts_.end(), lineParts_.begin(), lineParts_.end());
  return number;
}

void UnusedBytes::forgetLayouts() {
  firstLayout_ += static_cast<uint32_t>(layouts_.size());
  if (firstLayout_ > NO_INDEX / 2) {
    if (!isCopy_) objects_.forgetLineNotes();
    firstLayout_ = 1;
  }
  layouts_.clear();
  layoutCount_ = 0;
  parts_.clear();
  sameLayouts_.assign(LATELY, 0);
  segmented_.assign(LATELY, {});
  patternRuns_.clear();
  patterns_.assign(LATELY, {});
}

} // namespace dprof
