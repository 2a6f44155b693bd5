// Stage: trace -> stream. All references of a run in the recorded order, one for each line that an access touches, as a
// replay has them. src/stream/reference-walk.ts is the same.
#pragma once

#include <functional>

#include "placing/slot_accesses.h"
#include "placing/tracked_walk.h"
#include "stream/reference_rows.h"

namespace dprof {

class ReferenceWalk : TrackedWalk {
public:
  static constexpr size_t FULL = 1 << 16; // rows that are handed over at a time
  /// `take` gets rows whenever there are many, and at the end; it leaves none.
  ReferenceWalk(const Input &input, const ReferenceColumns &columns, std::function<void(ReferenceRows &)> take)
      : TrackedWalk(input), columns_(columns), take_(std::move(take)), lineMask_((1u << input.machine.lineShift) - 1),
        times_(input.threads.size()) {}
  void walk();

  // For eachAccess.
  void access(uint32_t slot, uint64_t address, uint64_t size);
  void block(uint32_t slot, uint64_t address, uint64_t size);
  void copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size);

private:
  void before(uint32_t thread, const Event *event) override;
  void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) override;
  bool path(uint32_t thread, const PlainPath &path, const uint64_t *words) override;
  bool looksUp() const override { return columns_.object; }
  void event(uint32_t, const Event &) override {}
  uint64_t left(uint64_t address) const { return uint64_t{lineMask_} + 1 - (address & lineMask_); }
  void add(uint32_t slot, uint64_t address, uint64_t size);

  const ReferenceColumns columns_;
  const std::function<void(ReferenceRows &)> take_;
  const uint32_t lineMask_;
  std::vector<uint64_t> times_; // by thread: instructions before the record at hand
  uint32_t thread_ = 0;
  ReferenceRows rows_;
};

} // namespace dprof
