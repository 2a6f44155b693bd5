// Stage: replay -> stream. All references of a replay in its order, as rows. Steps are ordered and laid out as
// replay/replay.h does it; then come the caches, if somebody asks for what they did, and the rows. Nothing is counted.
#pragma once

#include "caches/cache_stage.h"
#include "stream/row_stage.h"
#include "trace/column.h"

namespace dprof {

class ReferenceWalk {
public:
  ReferenceWalk(const Input &input, const ReferenceColumns &columns);
  /// `take` gets rows whenever there are many, and at the end; of a live trace, also at each pause, even if there are
  /// none. That walk ends where its source stops.
  void run(const std::function<void(ReferenceRows &)> &take);

private:
  bool goesOn() const;
  template <typename Stream>
  void runStages(Stream &stream, CacheStage *caches, RowStage &rows, std::function<bool()> ahead);

  const Input &input_;
  const ReferenceColumns columns_;
  const Plans plans_;
  const TraceFile file_;
};

} // namespace dprof
