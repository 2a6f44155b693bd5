// What a lone core's caches do once in 2^28 references or more, at once: stamps that become ranks, and positions that
// move down. Each is compared with caches that are young, or with a list of all lines. Compiled with
// -fno-access-control, so that age can be set.
#include "caches/lone_core.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace dprof;

static std::mt19937 draws(1);
static uint32_t below(uint32_t end) { return static_cast<uint32_t>(draws() % end); }

static void expect(bool holds, const char *what, uint32_t at) {
  if (holds) return;
  std::printf("%s, at reference %u\n", what, at);
  std::exit(1);
}

/// Lines near one another, lines far away, and again the one before.
static uint32_t drawLine(uint32_t lines) {
  static uint32_t last = 0;
  const uint32_t way = below(10);
  if (way < 5)
    last = below(lines / 8);
  else if (way < 8)
    last = below(lines);
  return last;
}

struct AgedLine {
  uint32_t position;
};

/// Returns how often positions moved down.
static uint32_t ageEpochs(const std::array<uint64_t, WINDOWS> &sizes) {
  constexpr uint32_t LINES = 900, REFERENCES = 150'000, OLD = ReferenceEpochs<AgedLine>::NOW - (1u << 28) - 3000;
  ReferenceEpochs<AgedLine> epochs(sizes);
  auto age = [&] {
    const uint32_t by = (OLD - epochs.head_) & ~epochs.mask_;
    for (uint32_t &tail : epochs.tails_) tail += by;
    epochs.head_ += by;
    epochs.oldest_ += by;
    return by;
  };
  age();
  std::vector<AgedLine> lines(LINES + 1);
  std::vector<uint32_t> stamps(LINES + 1), recent; // the most recent at the end
  uint32_t moves = 0;
  for (uint32_t at = 1; at <= REFERENCES; at++) {
    const uint32_t line = 1 + drawLine(LINES);
    const auto found = std::find(recent.begin(), recent.end(), line);
    const size_t others = static_cast<size_t>(recent.end() - found);                      // 1 + how many came since
    if (const uint32_t window = below(4); found != recent.end() && window < sizes.size()) // the others wait
      expect(epochs.holds(window, lines[line].position) == (others <= sizes[window]), "a window is wrong", at);
    if (found != recent.end()) recent.erase(found);
    recent.push_back(line);
    stamps[line] = at;
    if (lines[line].position != epochs.NOW) {
      if (epochs.isFull()) {
        const uint32_t head = epochs.head_;
        epochs.end(lines.data(), LINES + 1, [&](const AgedLine &of) { return stamps[&of - lines.data()]; });
        moves += epochs.head_ < head;
        if (moves && below(40) == 0 && epochs.head_ < OLD / 2 && moves < 3) { // old once more
          const uint32_t oldest = epochs.tails_[epochs.largest_], by = age();
          for (AgedLine &of : lines)
            if (of.position >= oldest) of.position += by;
        }
      }
      epochs.see(lines[line], line);
    }
  }
  return moves;
}

/// Returns how often stamps became ranks.
static uint32_t ageCore(uint32_t ways) {
  Machine machine{};
  machine.cores = machine.coresPerLlc = 1;
  machine.lineShift = 6;
  machine.level[0] = {4, ways, 4};
  machine.level[1] = {8, 6, 14};
  machine.level[2] = {16, 5, 50};
  KnownLines young(machine), old(machine);
  LoneCore youngCore(machine, young), oldCore(machine, old);
  std::vector<uint64_t> youngPages, oldPages;
  youngCore.newPages = &youngPages;
  oldCore.newPages = &oldPages;
  uint32_t ranked = 0;
  for (uint32_t at = 0; at < 100'000; at++) {
    if (below(50) == 0) old.clock = std::max(old.clock, LoneCore::LAST_CLOCK + below(2));
    const uint32_t clock = old.clock;
    if (below(100) == 0) {
      youngCore.beginBatch();
      oldCore.beginBatch();
    }
    const uint64_t line = 0x4000 + drawLine(400);
    const bool store = below(3) == 0;
    Appended<LineMiss> misses[2];
    KnownLines::Way *ofYoung, *ofOld;
    const uint32_t bits = youngCore.reference(line, store, misses[0], ofYoung);
    expect(oldCore.reference(line, store, misses[1], ofOld) == bits, "outcomes differ", at);
    expect(ofYoung - young.ways.data() == ofOld - old.ways.data(), "ways differ", at);
    expect(misses[0].size() == misses[1].size(), "one missed", at);
    for (unsigned level = 0; level < 3 && outcome::missClass(bits, level) != HIT; level++)
      expect(misses[0][0].place[level] == misses[1][0].place[level] &&
                 misses[0][0].victim[level] == misses[1][0].victim[level],
             "victims differ", at);
    ranked += old.clock < clock;
  }
  expect(youngCore.totals.writeBacks == oldCore.totals.writeBacks, "write-backs differ", 0);
  return ranked;
}

int main() {
  // Of two windows that are almost or wholly alike, one may ask earlier than the other.
  const uint32_t moves = std::min({ageEpochs({64, 5, 300}), ageEpochs({64, 300, 300}), ageEpochs({20, 300, 298})}),
                 of3 = ageCore(3), of8 = ageCore(8);
  std::printf("%s\n", moves > 0 && of3 > 10 && of8 > 10 ? "as young" : "nothing was old");
}
