// Compares AddressMap with std::map: random additions, removals and questions, near and far, in order and not.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "objects/address_map.h"

using dprof::AddressMap;
using Model = std::map<uint64_t, uint32_t>;

static void fail(const char *what, unsigned step) {
  std::printf("%s differs at step %u\n", what, step);
  std::exit(1);
}

static void compare(AddressMap &map, const Model &model, uint64_t address, unsigned step) {
  const auto found = model.find(address);
  if (map.at(address) != (found == model.end() ? 0 : found->second)) fail("at", step);
  const auto from = model.lower_bound(address);
  const auto place = map.from(address);
  if ((place == map.end()) != (from == model.end())) fail("whether from is the end", step);
  if (from != model.end() && (place.address() != from->first || place.number() != from->second)) fail("from", step);
  auto upTo = model.upper_bound(address);
  const auto before = map.upTo(address);
  if ((before == map.end()) != (upTo == model.begin())) fail("whether upTo is the end", step);
  if (upTo != model.begin() && (--upTo, before.address() != upTo->first || before.number() != upTo->second))
    fail("upTo", step);
  if (map.isEmpty() != model.empty()) fail("isEmpty", step);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const unsigned long steps = std::strtoul(argv[2], nullptr, 10);
  std::mt19937_64 random(std::strtoul(argv[1], nullptr, 10));
  const auto below = [&](uint64_t limit) { return random() % limit; };
  AddressMap map;
  Model model;
  size_t most = 0;
  uint64_t next = 0, range = 100;
  for (unsigned step = 1; step <= steps; step++) {
    if (below(1000) == 0) range = uint64_t{1} << below(64); // dense, and sparse
    const bool grows = step / 20000 % 2 == 0;
    const uint64_t address = below(2) ? below(range) : next += below(3) * 16;
    if (below(5000) == 0) next = below(range);
    if (below(10) < (grows ? 7 : 3)) {
      if (model.emplace(address, step).second) map.add(address, step);
    } else if (below(20)) {
      const auto gone = model.lower_bound(address);
      if (gone != model.end()) {
        map.remove(gone->first);
        model.erase(gone);
      } else {
        map.remove(address); // nothing is there
      }
    } else { // a range, place by place
      auto place = map.from(address);
      auto gone = model.lower_bound(address);
      for (unsigned i = 0; i < 100 && gone != model.end(); i++) {
        if (place.address() != gone->first) fail("a place of a range", step);
        if (i % 3) {
          ++place, ++gone;
        } else {
          place = map.remove(place);
          gone = model.erase(gone);
        }
      }
    }
    most = std::max(most, model.size());
    compare(map, model, below(2) ? address : below(range), step);
  }
  unsigned entries = 0;
  for (auto place = map.from(0); place != map.end(); ++place) entries++;
  if (entries != model.size()) fail("the number of entries", 0);
  std::printf("%zu\n", most);
}
