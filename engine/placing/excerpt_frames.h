// Stage: placing. Which functions a thread is in, by the records of a run and by those of its excerpts: where it
// matters, excerpts get what they lack. src/what-if/excerpt-frames.ts is the same.
#pragma once

#include <algorithm>

#include "trace/path_table.h"

namespace dprof {

/// The functions of one thread.
class ExcerptFrames {
public:
  /// The run has this record; `isWritten`: so do the excerpts.
  void pass(const RecordPlan &plan, bool isWritten) {
    met_.pass(plan);
    low_ = std::min(low_, met_.depth());
    if (!isWritten) return;
    written_.pass(plan);
    low_ = std::min(low_, written_.depth());
  }
  /// The same of records that the excerpts lack.
  void pass(const PlainPath &path) {
    for (const auto &[function, call, flags] : path.calls) {
      met_.pass(function, flags, call);
      low_ = std::min(low_, met_.depth());
    }
  }
  /// Steps are lost: nobody knows where the thread is.
  void forget() { *this = {}; }

  /// Makes the excerpts' functions those of the run: `write(function, flags, call)` is called with each record, without
  /// accesses, that they need for it before the next one.
  template <typename Write> void catchUp(Write write) {
    auto move = [&](uint32_t function, uint8_t flags, uint32_t call) {
      write(function, flags, call);
      written_.pass(function, flags, call);
    };
    size_t same = low_; // so many frames stay; the call of the last one may be another
    const size_t most = std::min(met_.depth(), written_.depth());
    while (same < most && met_.frame(same).call == written_.frame(same).call &&
           met_.frame(same + 1).function == written_.frame(same + 1).function)
      same++;
    while (written_.depth() > same) move(written_.top()->function, DPROF_RECORD_EXIT, 0);
    if (same && met_.frame(same).call != written_.frame(same).call)
      move(met_.frame(same).function, 0, met_.frame(same).call);
    for (size_t at = same + 1; at <= met_.depth(); at++)
      move(met_.frame(at).function, DPROF_RECORD_ENTRY, met_.frame(at).call);
    low_ = met_.depth();
  }

private:
  CallStack met_, written_;
  size_t low_ = 0; // up to this frame, but for its call, they have been the same since they last were
};

} // namespace dprof
