// Stage: replay. Addresses -> dense ids: pages are numbered by first touch, so per-line state lies in flat arrays and nothing is
// hashed per reference. Ids are for state only: cache sets come from the address.
#pragma once

#include <cstdint>
#include <vector>

namespace dprof {

class PageMap {
public:
  static constexpr unsigned pageShift = 12;
  static constexpr uint64_t pageBytes = uint64_t{1} << pageShift;

  /// Lines are at most as long as a page.
  explicit PageMap(unsigned lineShift) : lineShift(lineShift), linesShift(pageShift - lineShift), table_(1024) {}

  /// Frame of the page, 0 if it was never touched.
  uint32_t find(uint64_t page) {
    Entry &near = near_[page % NEAR];
    if (near.frame && near.page == page) return near.frame;
    Entry &entry = slot(page);
    if (entry.frame) near = entry;
    return entry.frame;
  }

  /// Only for a page that `find` does not know.
  uint32_t add(uint64_t page) {
    if (pages.size() * 2 > table_.size()) rehash();
    uint32_t frame = static_cast<uint32_t>(pages.size());
    pages.push_back(page);
    return (slot(page) = near_[page % NEAR] = {page, frame}).frame;
  }

  static uint64_t pageOf(uint64_t address) { return address >> pageShift; }
  uint32_t lineId(uint32_t frame, uint64_t address) const {
    return frame << linesShift | static_cast<uint32_t>((address & (pageBytes - 1)) >> lineShift);
  }
  uint64_t lineNumber(uint32_t id) const { return pages[id >> linesShift] << linesShift | (id & ((1u << linesShift) - 1)); }

  const unsigned lineShift, linesShift;
  std::vector<uint64_t> pages{0}; // by frame; frame 0 is no frame

private:
  static constexpr size_t NEAR = 1024;
  struct Entry {
    uint64_t page;
    uint32_t frame;
  };
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
  Entry near_[NEAR] = {};
  std::vector<Entry> table_;
};

} // namespace dprof
