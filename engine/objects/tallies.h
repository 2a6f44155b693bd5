// Stage: replay. Counters per (slot, rule, type, leaf, core). A plain L1 hit adds one to a pair that lies with its
// like; everything else goes to the row's full counters.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/outcome.h"
#include "generated/result_columns.h"
#include "trace/record_plan.h"

namespace dprof {

constexpr unsigned COUNTERS = counter::COUNT, LEVEL_COUNTERS = counter::L2_MISS_LOADS - counter::L1_MISS_LOADS;

enum TypingRule : uint8_t {
  BY_OBJECT,
  BY_DESCRIPTOR,
  BY_VOTE,
  BY_SITE,
  BY_VARIABLE,
  BY_SCALAR,
  UNTYPED,
  BY_BEHIND,
  BY_BESIDE,
  BY_POOL
};

/// The leaf of an array of scalars on the heap: the call path of its allocation, where others have a variable.
constexpr uint32_t PATH_LEAF = 1u << 31;
inline uint32_t leafOfPath(uint32_t callPath) { return PATH_LEAF | callPath; }

struct TallyKey {
  uint32_t slot, type, leaf;
  uint8_t rule, core;
  uint64_t siteBytes;
  bool operator==(const TallyKey &) const = default;
};

/// The row of a reference whose row follows from its slot alone.
inline TallyKey keyOfSlot(uint32_t slot, uint8_t core, const SlotPlan &plan) {
  return {slot,     0,
          NO_INDEX, plan.isStruct ? BY_DESCRIPTOR : plan.variable ? BY_VARIABLE : plan.type ? BY_SCALAR : UNTYPED,
          core,     0};
}

class Tallies {
public:
  explicit Tallies(const Latencies &latencies) : latencies_(latencies), table_(1024), lately_(LATELY) {}

  uint32_t row(const TallyKey &key);
  /// All rows stay, with nothing in them.
  void restart();
  void plainHits(uint32_t row, bool store, uint64_t count) { hits_[row].count[store] += count; }
  /// Outcomes of a row are often alike: they wait, and all equal ones are added at once.
  void add(uint32_t row, uint32_t bits, uint64_t count) {
    Waiting &same = lately_[(row * 0x9e3779b1u ^ bits * 0x85ebca6bu) >> (32 - LATELY_BITS)];
    if (same.row != row || same.bits != bits) [[unlikely]]
      pass(same, row, bits);
    same.count += count;
  }
  /// To be called before counters are read.
  void flush() {
    for (Waiting &same : lately_) pass(same, 0, 0);
  }

  size_t size() const { return keys_.size(); }
  const TallyKey &key(size_t row) const { return keys_[row]; }
  void counters(size_t row, double *into) const;

private:
  struct Hits {
    uint64_t count[2]; // loads, stores
    uint32_t full;     // row of full_, + 1
  };
  struct Full {
    uint64_t counter[COUNTERS];
  };
  struct Waiting {
    uint32_t row = 0, bits = 0;
    uint64_t count = 0; // 0: nothing waits
  };
  static constexpr unsigned LATELY_BITS = 10;
  static constexpr size_t LATELY = size_t{1} << LATELY_BITS;
  [[gnu::noinline]] void pass(Waiting &same, uint32_t row, uint32_t bits) {
    if (same.count) addNow(same.row, same.bits, same.count);
    same = {row, bits, 0};
  }
  void addNow(uint32_t row, uint32_t bits, uint64_t count);

  const Latencies latencies_;
  std::vector<TallyKey> keys_;
  std::vector<Hits> hits_;
  std::vector<Full> full_;
  std::vector<uint32_t> table_; // row + 1
  std::vector<Waiting> lately_; // by hash
};

} // namespace dprof
