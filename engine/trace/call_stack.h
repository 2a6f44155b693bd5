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
  void pass(const RecordPlan &record) { pass(record.function, record.flags); }
  void pass(uint32_t function, uint8_t flags) {
    if (function == top_ && !(flags & (DPROF_RECORD_ENTRY | DPROF_RECORD_EXIT))) [[likely]]
      return;
    move(function, flags);
  }
  static constexpr size_t FRAMES = 4;
  using Path = std::array<uint32_t, FRAMES>; // innermost first, NO_INDEX: none
  static constexpr Path NOWHERE = {NO_INDEX, NO_INDEX, NO_INDEX, NO_INDEX};
  Path path() const {
    Path path;
    for (size_t i = 0; i < FRAMES; i++)
      path[i] = i < functions_.size() ? functions_[functions_.size() - 1 - i] : NO_INDEX;
    return path;
  }

private:
  static constexpr size_t DEEPEST = 1 << 16;
  void push(uint32_t function) {
    if (functions_.size() < DEEPEST) functions_.push_back(function);
  }
  [[gnu::noinline]] void move(uint32_t function, uint8_t flags) {
    if (!function) return;
    if (flags & DPROF_RECORD_ENTRY) {
      push(function);
    } else if (functions_.empty() || functions_.back() != function) {
      auto innermost = std::find(functions_.rbegin(), functions_.rend(), function);
      if (innermost != functions_.rend())
        functions_.erase(innermost.base(), functions_.end());
      else
        push(function);
    }
    if (flags & DPROF_RECORD_EXIT && !functions_.empty() && functions_.back() == function) functions_.pop_back();
    top_ = functions_.empty() ? 0 : functions_.back();
  }

  uint32_t top_ = 0; // 0: in none that is known
  std::vector<uint32_t> functions_;
};

/// The paths to allocations, each once; 0 is the unknown path.
class CallPaths {
public:
  uint32_t number(const CallStack::Path &path) {
    if (path[0] == NO_INDEX) return 0;
    auto [entry, isNew] = numbers_.try_emplace(path, static_cast<uint32_t>(functions.size() / CallStack::FRAMES));
    if (isNew) functions.insert(functions.end(), path.begin(), path.end());
    return entry->second;
  }
  std::vector<uint32_t> functions = std::vector<uint32_t>(CallStack::FRAMES, NO_INDEX);

private:
  std::map<CallStack::Path, uint32_t> numbers_;
};

} // namespace dprof
