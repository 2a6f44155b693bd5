// Stage: replay -> shard. The first two stages of a replay for one shard's lines; a file takes what they say, and
// nothing is counted.
#pragma once

#include <functional>

#include "caches/cache_stage.h"
#include "shards/shard_writer.h"
#include "trace/column.h"

namespace dprof {

class ShardReplay {
public:
  /// `header`: of the file.
  ShardReplay(const Input &input, const std::string &path, const std::string &header);
  void run();

private:
  template <typename Stream> void runStages(Stream &stream, const std::function<bool()> &ahead);
  void reportProgress(const ReferenceBatch &batch) const;

  const Input &input_;
  const Plans plans_;
  const TraceFile file_;
  const uint64_t totalBytes_;
  CacheStage caches_;
  ShardWriter writer_;
  bool isInWindow_ = true;
};

} // namespace dprof
