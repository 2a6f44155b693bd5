// Stage: replay. Reads a thread's events columns ahead of its issue, so that an acquire knows which releases are still
// to come. For a thread that nobody has asked about it holds the first event and no column.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "order/front_queue.h"
#include "trace/column.h"
#include "trace/input.h"
#include "trace/process_space.h"

namespace dprof {

class Scout {
public:
  static constexpr uint64_t NO_STAMP = ~uint64_t{0};

  Scout(const TraceFile &file, const ThreadChunks &chunks);

  /// Stamp of the first stamped event that was not visited; NO_STAMP at the thread's end. If that event has not come
  /// yet, the smallest stamp that it can have.
  uint64_t nextStamp() const {
    return atEnd_ ? NO_STAMP : isDry_ ? std::max(next_.stamp, chunks_.outlook.stamp) + 1 : next_.stamp;
  }
  /// The next event has not come yet.
  bool isDry() const { return isDry_; }
  /// More chunks may have come.
  void refresh() {
    if (isDry_ && !(reader_->chunk == chunks_.offset.size() && chunks_.outlook.isOpen)) find();
  }
  /// The thread's first step, if that is a stamped event rather than a record; else null.
  const Event *firstStep() const { return beginsWithNext_ ? &next_ : first_.get(); }

  /// The stamp of the thread's end, if that is its last event; NO_STAMP: it is not known. The trace must be complete.
  uint64_t endStamp();

  /// Visits events with stamps up to `stamp`. `visit` returns an entry to be kept for the event.
  template <typename Visit> void advance(uint64_t stamp, Visit visit) {
    refresh();
    while (!atEnd_ && !isDry_ && next_.stamp <= stamp) {
      if (beginsWithNext_) first_ = std::make_unique<Event>(next_);
      unissued.push_back({next_.stamp, visit(static_cast<const Event &>(next_))});
      find();
    }
  }

  struct Visited {
    uint64_t stamp;
    uint32_t entry;
  };
  FrontQueue<Visited> unissued; // events that were visited and not issued

private:
  struct Reader {
    ChunkColumns columns;
    EventReader events;
    size_t chunk = 0;
    uint32_t left = 0;
  };
  void find() {
    if (!reader_ || !findNear()) findFar();
  }
  /// Nearly always the next event lies in the chunk at hand, and has a stamp.
  bool findNear() {
    if (reader_->left == 0 || chunks_.process || !reader_->events.quickNext(next_)) return false;
    reader_->left--;
    beginsWithNext_ = false;
    return true;
  }
  void findFar();
  void findNext();
  const TraceFile &file_;
  const ThreadChunks &chunks_;
  SpaceCursor space_;
  std::unique_ptr<Reader> reader_; // none before the first visit and at the end
  Event next_ = {};
  std::unique_ptr<Event> first_;     // once it was visited
  std::optional<uint64_t> endStamp_; // once it was asked for
  bool atEnd_ = false, isDry_ = false, beginsWithNext_ = false;
};

} // namespace dprof
