// Stage: replay. Which functions a thread is in, from the records it leaves, and the short path to an allocation;
// docs/replay/objects.md, "Call paths".
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "trace/record_plan.h"

namespace dprof {

class CallStack {
public:
  /// Beside the flags of a record: its ENTRY and its EXIT are those of two records.
  static constexpr uint8_t OF_TWO = 0x80;
  static constexpr uint8_t MOVES = DPROF_RECORD_ENTRY | DPROF_RECORD_EXIT;
  void pass(const RecordPlan &record) { pass(record.function, record.flags & MOVES, record.call); }
  [[gnu::always_inline]] void pass(uint32_t function, uint8_t flags, uint32_t call) {
    Frame *const top = &frames_[depth_];
    const uint8_t moves = flags & MOVES;
    if (moves == 0 && function == top->function) [[likely]] {
      top->call = call; // nobody reads that of frame 0
    } else if (moves == DPROF_RECORD_ENTRY && function && depth_ + 1 < frames_.size()) {
      top[1] = {function, call};
      depth_++;
    } else if (moves == DPROF_RECORD_EXIT && function && function == top->function) {
      top[-1].call = 0; // that call has returned
      depth_--;
    } else if (moves == MOVES && function && depth_ < DEEPEST) {
      top->call = 0;
    } else {
      passAny(function, flags, call);
    }
  }
  static constexpr size_t FRAMES = 8;
  struct Frame {
    uint32_t function = NO_INDEX; // NO_INDEX: none
    uint32_t call = 0;            // that it is in, as a row of the catalog's calls; 0: unknown, and of the innermost
    auto operator<=>(const Frame &) const = default;
  };
  struct Path {
    uint32_t slot = NO_INDEX;         // of the allocation, NO_INDEX: it leads to none
    std::array<Frame, FRAMES> frames; // innermost first
    auto operator<=>(const Path &) const = default;
    bool isKnown() const { return slot != NO_INDEX || frames[0].function != NO_INDEX; }
  };
  /// The innermost frame, until the next `pass`.
  Frame *top() { return &frames_[depth_]; }
  size_t depth() const { return depth_; }
  /// From 1, the outermost, to `depth`. Frame 0 is none.
  const Frame &frame(size_t at) const { return frames_[at]; }
  Path path(uint32_t slot = NO_INDEX) const {
    Path path{slot, {}};
    for (size_t i = 0; i < FRAMES && i < depth_; i++) path.frames[i] = frames_[depth_ - i];
    path.frames[0].call = 0;
    return path;
  }

private:
  static constexpr size_t DEEPEST = 1 << 16;
  [[gnu::noinline]] void passAny(uint32_t function, uint8_t flags, uint32_t call) {
    if (!(flags & OF_TWO)) return move(function, flags, call);
    move(function, DPROF_RECORD_ENTRY, call);
    move(function, DPROF_RECORD_EXIT, call);
  }
  bool isIn(uint32_t function) const { return frames_[depth_].function == function; }
  void push(uint32_t function) {
    if (depth_ == DEEPEST) return;
    if (++depth_ == frames_.size()) frames_.resize(std::min(2 * depth_, DEEPEST + 1));
    frames_[depth_] = {function, 0};
  }
  void move(uint32_t function, uint8_t flags, uint32_t call) {
    if (!function) return;
    if (flags & DPROF_RECORD_ENTRY) {
      push(function);
    } else if (!isIn(function)) {
      size_t innermost = depth_;
      while (innermost && frames_[innermost].function != function) innermost--;
      if (innermost)
        depth_ = innermost;
      else
        push(function);
    }
    if (!isIn(function)) return;
    frames_[depth_].call = call;
    if (flags & DPROF_RECORD_EXIT) frames_[--depth_].call = 0;
  }

  /// Up to `depth_`, then room; frame 0 is none.
  std::vector<Frame> frames_ = std::vector<Frame>(64, Frame{0, 0});
  size_t depth_ = 0;
};

/// The paths to allocations, each once; 0 is the unknown path.
class CallPaths {
public:
  uint32_t number(const CallStack::Path &path) {
    if (!path.isKnown()) return 0;
    auto [entry, isNew] = numbers_.try_emplace(path, static_cast<uint32_t>(all.size()));
    if (isNew) all.push_back(path);
    return entry->second;
  }
  std::vector<CallStack::Path> all = {{}};

private:
  std::map<CallStack::Path, uint32_t> numbers_;
};

} // namespace dprof
