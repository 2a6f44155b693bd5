// Stage: placing. Of a long run, the parts whose accesses are kept; src/what-if/excerpts.ts has the same.
#pragma once

#include <cstdint>

#include "batch/reference_batch.h"

namespace dprof {

/// The first `kept` of each `period` slots of records have their accesses, in the recorded order. What the rest does to
/// objects is kept, too, and so are its events.
struct Excerpts {
  uint64_t kept = 1, period = 1;
};

class ExcerptClock {
public:
  explicit ExcerptClock(const Excerpts &excerpts) : excerpts_(excerpts) {
    if (excerpts.kept >= excerpts.period) border_ = ~uint64_t{0}; // all of it
  }
  /// Whether the next record's accesses are kept.
  bool isIn() const { return isIn_; }
  /// Whether that is so of all records with so many slots in all.
  bool stays(uint64_t slots) const { return passed_ + slots < border_; }
  void pass(uint64_t slots) {
    passed_ += slots;
    if (passed_ >= border_) turn();
  }

private:
  void turn() {
    const uint64_t at = passed_ % excerpts_.period;
    isIn_ = at < excerpts_.kept;
    border_ = passed_ - at + (isIn_ ? excerpts_.kept : excerpts_.period);
  }
  const Excerpts excerpts_;
  uint64_t passed_ = 0, border_ = 0; // `border_`: where isIn_ may change
  bool isIn_ = true;
};

/// A record between excerpts that opens variables, or closes a frame.
inline bool movesFrames(const RecordPlan &plan, const std::vector<SlotPlan> &slots) {
  if (closesFrame(plan)) return true;
  if (!(plan.flags & DPROF_RECORD_ENTRY) || plan.plain) return false;
  for (uint32_t slot = plan.firstSlot; slot < plan.firstSlot + plan.slotCount; slot++)
    if (slots[slot].kind == DPROF_SLOT_OBJECT) return true;
  return false;
}

} // namespace dprof
