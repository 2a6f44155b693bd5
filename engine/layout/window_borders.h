// Stage: trace -> replay. Finds the borders of a window: a step reaches a border when it ends, and the border stays
// reached. docs/replay/windows.md.
#pragma once

#include <algorithm>
#include <utility>

#include "trace/event.h"
#include "trace/input.h"

namespace dprof {

class WindowBorders {
public:
  static constexpr uint64_t NEVER = ~uint64_t{0};

  explicit WindowBorders(const ReplayWindow &window) : window_(window) {
    if (!asked()) return;
    for (unsigned i = 0; i < ReplayWindow::BORDERS; i++)
      if (isAhead(i) && window.border[i].kind == Border::REFERENCE && window.border[i].value == 0)
        positions_[i] = {true, 0, 0};
    skips_ = isAhead(ReplayWindow::WARM_UP);
    findNext();
  }

  bool asked() const { return window_.asked; }
  /// References are not made yet.
  bool skips() const { return skips_; }
  bool isOver() const { return positions_[ReplayWindow::TO].reached; }
  bool isAhead(unsigned border) const {
    return window_.border[border].kind != Border::NONE && !positions_[border].reached;
  }
  /// The number of references that reaches the next border of that kind.
  uint64_t nextReferences() const { return nextReferences_; }

  /// Sees an event of the step under way, or its stamp. True if a border lies behind the step.
  bool see(const Event &event, bool isStep) {
    if (!asked()) return false;
    bool any = false;
    for (unsigned i = 0; i < ReplayWindow::BORDERS; i++)
      if (isAhead(i) && isAt(i, event, isStep)) any = seen_[i] = true;
    isSeen_ |= any;
    return any;
  }
  /// Whether an event of the step under way is a border.
  bool isSeen() const { return isSeen_; }
  /// A step has ended. `references` and `time` are the totals behind it.
  void pass(uint64_t references, uint64_t time) {
    if (!asked()) return;
    for (unsigned i = 0; i < ReplayWindow::BORDERS; i++) {
      const Border &border = window_.border[i];
      if (!isAhead(i) || !(seen_[i] || (border.kind == Border::REFERENCE && references >= border.value))) continue;
      positions_[i] = {true, references, time};
      begins_ |= i == ReplayWindow::FROM;
    }
    isSeen_ = false;
    skips_ = isAhead(ReplayWindow::WARM_UP);
    findNext();
  }
  /// Whether the window begins here; true only once.
  bool takeBegin() { return std::exchange(begins_, false); }
  const WindowPosition *positions() const { return positions_; }

private:
  bool isAt(unsigned i, const Event &event, bool isStep) {
    const Border &border = window_.border[i];
    if (border.kind == Border::STAMP) return hasStamp(event.code) && event.stamp >= border.value;
    if (border.kind != Border::MARK || !isStep || event.code != DPROF_EVENT_MARK || event.detail != DPROF_MARK_PHASE)
      return false;
    return event.text && *event.text == border.name && ++marks_[i] == border.value;
  }
  void findNext() {
    nextReferences_ = NEVER;
    for (unsigned i = 0; i < ReplayWindow::BORDERS; i++)
      if (isAhead(i) && window_.border[i].kind == Border::REFERENCE)
        nextReferences_ = std::min(nextReferences_, window_.border[i].value);
  }

  const ReplayWindow &window_;
  WindowPosition positions_[ReplayWindow::BORDERS];
  uint64_t marks_[ReplayWindow::BORDERS] = {}; // marks of the border's name so far
  bool seen_[ReplayWindow::BORDERS] = {};      // in the step under way
  bool isSeen_ = false, begins_ = false, skips_ = false;
  uint64_t nextReferences_ = NEVER;
};

} // namespace dprof
