// Stage: trace -> replay. Words in a row that have one source and lie within a line's bytes. If all of them hit one
// line, they are one entry among a batch's references; its slot then says which run it is.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace dprof {

/// Slots behind those of the program: first so many for steady paths (batch/steady_path.h), then those of runs.
constexpr uint32_t STEADY_SLOTS = 1u << 13;

struct JoinedWord {
  uint32_t slot;
  uint32_t offset; // from the run's lowest byte
  uint32_t before; // instructions since the run's first word, if the flow is wanted
  auto operator<=>(const JoinedWord &) const = default;
};
using JoinedRun = std::vector<JoinedWord>;

/// Paths share equal runs. A run stays where it is for good, so others may read it while runs are added.
class JoinedRuns {
public:
  static constexpr size_t MOST = size_t{1} << 24;
  explicit JoinedRuns(size_t slots) : slots_(static_cast<uint32_t>(slots) + STEADY_SLOTS) {}
  bool isFull() const { return all_.size() + slots_ >= MOST; }
  /// The slot that stands for the run.
  uint32_t slotOf(JoinedRun run) {
    const auto [found, isNew] = slotOf_.try_emplace(std::move(run), slots_ + static_cast<uint32_t>(all_.size()));
    if (isNew) all_.push_back(&found->first);
    return found->second;
  }
  /// As they were added.
  const std::vector<const JoinedRun *> &all() const { return all_; }

private:
  const uint32_t slots_;
  std::map<JoinedRun, uint32_t> slotOf_;
  std::vector<const JoinedRun *> all_;
};

} // namespace dprof
