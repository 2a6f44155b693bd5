// Stage: trace -> placing. A store by a thread takes the line from the others that hold it.
#include "placing/line_sharers.h"

#include <algorithm>

namespace dprof {

void LineSharers::reference(uint32_t thread, bool store, uint64_t address, uint64_t size, uint32_t row,
                            uint32_t block) {
  Line &line = lineAt(address);
  const Sharer sharer{thread, row, block, wordsOf(address, size)};
  Sharer *const end = line.sharers + line.count;
  Sharer *const own = std::find_if(line.sharers, end, [&](const Sharer &one) { return one.thread == thread; });
  if (store && line.count > (own != end)) {
    invalidate(line, sharer);
    line.sharers[0] = sharer;
    line.count = 1;
  } else if (own != end) {
    const uint16_t before = own->words;
    *own = sharer;
    own->words |= before;
  } else if (line.count < 2) { // a third one has no place
    line.sharers[line.count++] = sharer;
  }
}

/// One invalidation, which counts once for each of the data that it is about.
void LineSharers::invalidate(const Line &line, const Sharer &store) {
  bool isTrue = false, isAcross = false;
  uint32_t rows[3] = {store.row, 0, 0};
  for (unsigned i = 0; i < line.count; i++) {
    const Sharer &other = line.sharers[i];
    if (other.thread == store.thread) continue;
    isTrue = isTrue || (other.words & store.words) != 0;
    isAcross = isAcross || (other.block != NO_INDEX && store.block != NO_INDEX && other.block != store.block);
    rows[i + 1] = other.row;
  }
  for (unsigned i = 0; i < 3; i++) {
    if (rows[i] == 0 || std::find(rows, rows + i, rows[i]) != rows + i) continue;
    CacheperfCounts &counts = counts_[rows[i] - 1];
    (isTrue ? counts.trueSharing : counts.falseSharing)++;
    counts.sharingAcross += isAcross;
  }
}

LineSharers::Line &LineSharers::lineAt(uint64_t address) {
  const uint32_t frame = pages_.frameOf(PageMap::pageOf(address), [this](uint64_t page) {
    const uint32_t added = pages_.add(page);
    lines_.resize((size_t{added} + 1) << pages_.linesShift);
    return added;
  });
  return lines_[pages_.lineOf(PageMap::granule(frame, address))];
}

uint16_t LineSharers::wordsOf(uint64_t address, uint64_t size) const {
  const uint64_t begin = address & ((uint64_t{1} << request_.lineShift) - 1);
  const uint64_t first = begin * WORDS >> request_.lineShift;
  const uint64_t last = (begin + size - 1) * WORDS >> request_.lineShift;
  return static_cast<uint16_t>((2u << last) - (1u << first));
}

} // namespace dprof
