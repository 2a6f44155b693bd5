// Stage: replay. Addresses -> dense ids: pages are numbered by first touch, so per-line state lies in flat arrays and
// nothing is hashed per reference. Ids are for state only: cache sets come from the address.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/trace_error.h"

namespace dprof {

class PageMap {
public:
  static constexpr unsigned pageShift = 12;
  static constexpr uint64_t pageBytes = uint64_t{1} << pageShift;
  /// Eight bytes, numbered like lines: a line's number follows from that of any of its granules.
  static constexpr unsigned granuleShift = 3, granulesShift = pageShift - granuleShift;

  /// Lines are at most as long as a page.
  explicit PageMap(unsigned lineShift)
      : lineShift(lineShift), linesShift(pageShift - lineShift), near_(NEAR), table_(1024) {
    for (size_t i = 0; i < NEAR; i++) near_[i] = uint64_t{i ^ 1} << FRAME_BITS; // no page that is looked for there
  }

  /// Frame of the page, 0 if it was never touched.
  uint32_t find(uint64_t page) {
    return frameOf(page, [](uint64_t) { return 0u; });
  }
  /// Frame of the page; `addPage` gives it if the page was never touched.
  template <typename AddPage> [[gnu::always_inline]] uint32_t frameOf(uint64_t page, AddPage addPage) {
    const uint64_t near = near_[page % NEAR];
    if (near >> FRAME_BITS == page) [[likely]]
      return frameIn(near);
    const uint32_t frame = findFar(page);
    return frame ? frame : addPage(page);
  }

  /// Frame of a page that was asked for lately, else 0.
  [[gnu::always_inline]] uint32_t findNear(uint64_t page) const {
    const uint64_t near = near_[page % NEAR];
    return near >> FRAME_BITS == page ? frameIn(near) : 0;
  }

  /// Only for a page that `find` does not know.
  uint32_t add(uint64_t page) {
    checkedAddress(page << pageShift | (page >> (64 - pageShift) ? ~uint64_t{0} : 0));
    if (pages.size() >> FRAME_BITS) throw InputError("the program touched more memory than the native engine numbers");
    if (pages.size() * 2 > table_.size()) rehash();
    uint32_t frame = static_cast<uint32_t>(pages.size());
    pages.push_back(page);
    slot(page) = {page, frame};
    near_[page % NEAR] = page << FRAME_BITS | frame;
    return frame;
  }

  static uint64_t pageOf(uint64_t address) { return address >> pageShift; }
  static uint32_t granule(uint32_t frame, uint64_t address) {
    return frame << granulesShift | static_cast<uint32_t>((address & (pageBytes - 1)) >> granuleShift);
  }
  uint64_t addressOf(uint32_t granule) const {
    return pages[granule >> granulesShift] << pageShift | uint64_t{granule & ((1u << granulesShift) - 1)}
                                                              << granuleShift;
  }
  uint32_t lineOf(uint32_t granule) const { return granule >> (lineShift - granuleShift); }

  const unsigned lineShift, linesShift; // a line has at least a granule
  std::vector<uint64_t> pages{0};       // by frame; frame 0 is no frame

private:
  static constexpr size_t NEAR = 2048;
  static constexpr unsigned FRAME_BITS = 32 - granulesShift; // with a page's 41 bits one word
  static uint32_t frameIn(uint64_t near) { return static_cast<uint32_t>(near & ((1u << FRAME_BITS) - 1)); }
  struct Entry {
    uint64_t page;
    uint32_t frame;
  };
  [[gnu::noinline]] uint32_t findFar(uint64_t page) {
    const Entry &entry = slot(page);
    if (entry.frame) near_[page % NEAR] = page << FRAME_BITS | entry.frame;
    return entry.frame;
  }
  Entry &slot(uint64_t page) {
    size_t mask = table_.size() - 1;
    size_t i = (page * 0x9e3779b97f4a7c15ull) >> 20 & mask;
    while (table_[i].frame && table_[i].page != page) i = (i + 1) & mask;
    return table_[i];
  }
  void rehash() {
    std::vector<Entry> old(table_.size() * 2);
    old.swap(table_);
    for (const Entry &entry : old)
      if (entry.frame) slot(entry.page) = entry;
  }
  std::vector<uint64_t> near_; // page, frame
  std::vector<Entry> table_;
};

} // namespace dprof
