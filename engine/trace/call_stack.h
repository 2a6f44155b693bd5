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
  void pass(const RecordPlan &record) { pass(record.function, record.flags, record.call); }
  void pass(uint32_t function, uint8_t flags, uint32_t call) {
    if (function && function == top_ && !(flags & (DPROF_RECORD_ENTRY | DPROF_RECORD_EXIT))) [[likely]]
      frames_.back().call = call;
    else
      move(function, flags, call);
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
  Path path(uint32_t slot = NO_INDEX) const {
    Path path{slot, {}};
    for (size_t i = 0; i < FRAMES && i < frames_.size(); i++) path.frames[i] = frames_[frames_.size() - 1 - i];
    path.frames[0].call = 0;
    return path;
  }

private:
  static constexpr size_t DEEPEST = 1 << 16;
  bool isIn(uint32_t function) const { return !frames_.empty() && frames_.back().function == function; }
  void push(uint32_t function) {
    if (frames_.size() < DEEPEST) frames_.push_back({function, 0});
  }
  [[gnu::noinline]] void move(uint32_t function, uint8_t flags, uint32_t call) {
    if (!function) return;
    if (flags & DPROF_RECORD_ENTRY) {
      push(function);
    } else if (!isIn(function)) {
      auto isOfFunction = [&](const Frame &frame) { return frame.function == function; };
      auto innermost = std::find_if(frames_.rbegin(), frames_.rend(), isOfFunction);
      if (innermost != frames_.rend())
        frames_.erase(innermost.base(), frames_.end());
      else
        push(function);
    }
    if (isIn(function)) frames_.back().call = call;
    if (flags & DPROF_RECORD_EXIT && isIn(function)) {
      frames_.pop_back();
      if (!frames_.empty()) frames_.back().call = 0; // that call has returned
    }
    top_ = frames_.empty() ? 0 : frames_.back().function;
  }

  uint32_t top_ = 0; // 0: in none that is known
  std::vector<Frame> frames_;
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
