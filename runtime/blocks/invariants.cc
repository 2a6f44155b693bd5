// Stage: blocks. Lines' ends, addresses 4 KiB apart, and the sets of the first level, access by access.
#include "invariants.h"

#include <unistd.h>

#include <algorithm>
#include <bitset>
#include <vector>

namespace dprof {
namespace {

constexpr size_t window_of_execution = 512; // instructions that are under way at once: Golden Cove's reorder buffer
constexpr size_t lines_of_page = PAGE / LINE, lines_of_harness = 2; // the desk's, that a timing uses

class Stores {
public:
  void note(uint64_t address, unsigned bytes, size_t when) {
    for (unsigned i = 0; i < bytes; i++) last_[(address + i) % PAGE] = {(address + i) / PAGE, when};
  }
  // Whether an earlier store that is still under way differs in the page alone.
  bool are_mistaken_for(uint64_t address, unsigned bytes, size_t when) const {
    for (unsigned i = 0; i < bytes; i++) {
      const Store &store = last_[(address + i) % PAGE];
      if (store.when != 0 && when - store.when < window_of_execution && store.page != (address + i) / PAGE) return true;
    }
    return false;
  }

private:
  struct Store {
    uint64_t page;
    size_t when; // 0: never
  };
  std::vector<Store> last_ = std::vector<Store>(PAGE, Store{0, 0});
};

// Every page is the data page, so a line of it is a physical line.
bool fits_in_sets(const std::bitset<lines_of_page> &lines, const CacheShape &cache) {
  const size_t sets = std::max<size_t>(cache.data_bytes / cache.data_ways / LINE, 1);
  std::vector<size_t> used(sets, 0);
  for (size_t line = 0; line < lines_of_page; line++)
    if (lines[line] && ++used[line % sets] + lines_of_harness > cache.data_ways) return false;
  return true;
}

size_t ask(int name, size_t otherwise) {
  const long said = sysconf(name);
  return said > 0 ? (size_t)said : otherwise;
}

} // namespace

CacheShape host_cache() {
  return {ask(_SC_LEVEL1_DCACHE_SIZE, 32 << 10), ask(_SC_LEVEL1_DCACHE_ASSOC, 8),
          ask(_SC_LEVEL1_ICACHE_SIZE, 32 << 10)};
}

BrokenInvariant find_broken(const Block &block, const SharedWindow &window, size_t copies, const CacheShape &cache) {
  Stores stores;
  std::bitset<lines_of_page> lines;
  size_t slot = 0, when = 1;
  for (size_t copy = 0; copy < copies; copy++)
    for (const BlockInstruction &instruction : block.instructions) {
      when++;
      for (const Access &access : instruction.accesses) {
        uint64_t address = window.logged(slot++) + (access.address.has_segment ? FILL : 0);
        const uint64_t times =
            access.is_repeated ? std::min<uint64_t>(window.logged(slot++), PAGE * (uint64_t)LINE) : 1;
        for (uint64_t i = 0; i < times; i++, address += access.bytes) {
          if (address % LINE + access.bytes > LINE) return {"line-crossing", copy};
          if (address - WINDOW < WINDOW_BYTES) return {"own-window", copy};
          lines.set(address % PAGE / LINE);
          if (access.is_load && stores.are_mistaken_for(address, access.bytes, when)) return {"4k-aliasing", copy};
          if (access.is_store) stores.note(address, access.bytes, when);
        }
      }
    }
  return {fits_in_sets(lines, cache) ? "" : "l1d-overflow", 0};
}

} // namespace dprof
