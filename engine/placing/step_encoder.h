// Stage: placing -> trace. Steps of one thread -> the payloads of its EVENTS chunks; src/trace/step-encoder.ts has the
// same. Each path is one record, or a loop: src/what-if/plain-catalog.ts numbers them.
#pragma once

#include <memory>

#include "placing/columns.h"
#include "trace/event.h"

namespace dprof {

class StepEncoder {
public:
  /// `loops`: whose paths are numbered before those of records.
  explicit StepEncoder(uint32_t loops) : loops_(loops) {}
  void event(const Event &event);
  /// `record`: of the catalog, or a variant; `stamp`: of its last record, if that is STAMPED; else null.
  void path(uint32_t record, const uint64_t *words, uint32_t count, const Event *stamp) {
    step(loops_ + record, words, count, stamp);
  }
  /// `words`: how many iterations, and each word of the first one with its stride.
  void loop(uint32_t number, const std::vector<uint64_t> &words) {
    step(number, words.data(), static_cast<uint32_t>(words.size()), nullptr);
  }
  /// In the chunk at hand.
  uint32_t steps() const { return steps_; }
  size_t bytes() const { return control_.size() + words_.size() + events_.size(); }
  /// The payload of a chunk with the steps since the last one.
  void takeChunk(std::vector<uint8_t> &payload);

private:
  enum Code : uint8_t { STRIDE, LINKED, LOGGED, SAME };
  /// What the thread did when it took the path last.
  struct State {
    explicit State(uint32_t entry, uint32_t count) : entry(entry), last(count), stride(count) {}
    const uint32_t entry;
    State *successor = nullptr;
    uint64_t link = 0;
    std::vector<uint64_t> last, stride;
  };
  /// `entry`: of the region whose path it is.
  void step(uint32_t entry, const uint64_t *words, uint32_t count, const Event *stamp);
  State &stateOf(uint32_t entry, uint32_t count);
  Code codeOf(const State &state, const uint64_t *words, uint32_t word) const;
  void explicitStep(const State &state, uint32_t predicted, bool isPredicted, const uint64_t *words, uint32_t count);
  void packCodes(uint32_t from, uint32_t count, unsigned shift);
  void finish(State &state, const uint64_t *words, uint32_t count);
  void put(const Event &event);
  void endRun();

  WrittenColumn control_, words_, events_;
  uint32_t steps_ = 0, entries_ = 0;
  uint64_t run_ = 0, base_ = 0;
  State *previous_ = nullptr;
  std::vector<std::unique_ptr<State>> states_; // by entry
  const uint32_t loops_;
  std::vector<uint8_t> codes_;
  uint64_t stamp_ = 0, addresses_[16] = {}; // of the chunk's events
};

} // namespace dprof
