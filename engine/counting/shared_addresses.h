// Stage: replay. Accesses by address, slot and thread -> rows for those addresses that several threads refer to about
// equally often. docs/threads.md, "Shared variables". An address counts as the same for as long as the object lives in
// which it lies.
#pragma once

#include <unordered_map>

#include "base/node_table.h"
#include "layout/thread_lines.h"
#include "objects/labels.h"

namespace dprof {

class SharedAddresses : public LifeEnds {
public:
  struct Row {
    uint32_t slot, label, leaf, variable, thread;
    uint64_t accesses;
  };
  SharedAddresses(const Input &input, const Plans &plans, Objects &objects, Labels &labels)
      : most_(input.mostSharedCounts), granulesShift_(input.machine.lineShift - PageMap::granuleShift), input_(input),
        plans_(plans), objects_(objects), labels_(labels) {}

  /// Sets the lines that several threads refer to.
  void setLines(std::shared_ptr<const ThreadLines> lines) { lines_ = std::move(lines); }
  /// A batch comes. The batch before must have been passed to its end.
  void begin(const ReferenceBatch &batch);
  /// Passes the batch's references up to `end`. Among them no object changes.
  void passTo(const ReferenceBatch &batch, uint32_t end);
  void endLife(uint32_t live) override;
  /// The run is over, and so is every life. Must be called before objects are settled.
  void finish();
  /// A window begins.
  void restart();

  std::vector<Row> rows;
  uint64_t shared = 0, kept = 0, uncounted = 0;
  bool isFull = false;

private:
  struct Address {
    struct Key {
      uint64_t address;
      uint32_t live;
      bool operator==(const Key &) const = default;
      uint64_t hash() const { return (address ^ uint64_t{live} << 40) * 0x9e3779b97f4a7c15ull; }
    };
    uint64_t address;
    uint32_t live; // objects.h; 0: in no object
    uint32_t next; // of the object
    uint32_t firstCount;
    Key key() const { return {address, live}; }
  };
  struct Count {
    struct Key {
      uint32_t address, slot, thread;
      bool operator==(const Key &) const = default;
      uint64_t hash() const {
        return ((uint64_t{address} << 32 | slot) ^ uint64_t{thread} << 20) * 0x9e3779b97f4a7c15ull;
      }
    };
    uint64_t count;
    uint32_t address; // node
    uint32_t slot, thread;
    uint32_t next; // of the address
    Key key() const { return {address, slot, thread}; }
  };
  struct RowKey {
    uint32_t slot, label, leaf, variable, thread;
    bool operator==(const RowKey &) const = default;
  };
  struct RowHash {
    size_t operator()(const RowKey &key) const {
      uint64_t hash = (uint64_t{key.slot} << 32 | key.label) * 0x9e3779b97f4a7c15ull;
      return (hash ^ (uint64_t{key.leaf} << 32 | key.variable) ^ uint64_t{key.thread} << 16) * 0xbf58476d1ce4e5b9ull >>
             7;
    }
  };
  void access(uint32_t thread, uint32_t granule, uint64_t address, uint32_t slot);
  void add(uint64_t address, uint32_t live, uint32_t node, uint32_t slot, uint32_t thread);
  void giveUp(uint32_t node);
  void settle(uint32_t node);
  uint32_t row(const Count &count, LiveObject *object, uint64_t address);
  uint32_t &firstOf(uint32_t live) {
    if (live >= firstOf_.size()) firstOf_.resize(std::max<size_t>(live + 1, firstOf_.size() * 2));
    return firstOf_[live];
  }

  const uint64_t most_;
  const unsigned granulesShift_; // of a line
  const Input &input_;
  const Plans &plans_;
  Objects &objects_;
  Labels &labels_;
  std::shared_ptr<const ThreadLines> lines_;
  bool isOfSeveral_ = false; // threads have taken steps
  NodeTable<Address> addresses_;
  NodeTable<Count> counts_;
  std::vector<uint32_t> firstOf_; // by live object: its first address
  std::unordered_map<RowKey, uint32_t, RowHash> numbers_;
  std::vector<std::pair<uint32_t, uint64_t>> byThread_; // of the address at hand
  // The position in the batch.
  uint32_t at_ = 0, thread_ = 0;
  size_t nextThread_ = 0;
  const OddAccess *odd_ = nullptr;
};

} // namespace dprof
