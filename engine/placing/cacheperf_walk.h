// Stage: trace -> placing. A run, gone through by CachePerf's rule (docs/cacheperf-rule.md).
// src/what-if/cacheperf-walk.ts is the same.
#pragma once

#include <memory>

#include "placing/line_sharers.h"
#include "placing/miss_windows.h"
#include "placing/private_cache.h"
#include "placing/slot_accesses.h"
#include "placing/tracked_walk.h"

namespace dprof {

class CacheperfWalk : public TrackedWalk {
public:
  CacheperfWalk(const Input &input, const CacheperfRequest &request);

  // For eachAccess: each access is cut where lines end.
  void access(uint32_t slot, uint64_t address, uint64_t size);
  void block(uint32_t slot, uint64_t address, uint64_t size);
  void copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size);

  std::vector<CacheperfCounts> counts; // by row

private:
  void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) override;
  void event(uint32_t, const Event &) override {}
  void reference(uint32_t slot, uint64_t address, uint64_t size);
  /// 1 + the row; 0: none.
  uint32_t rowOf(const LiveObject &object) const;

  const CacheperfRequest &request_;
  const uint64_t lineBytes_;
  const bool isShared_; // there are several threads
  MissWindows windows_;
  LineSharers sharers_;
  std::vector<std::unique_ptr<PrivateCache>> caches_; // by thread
  // Of the step at hand.
  uint32_t thread_ = 0;
  PrivateCache *cache_ = nullptr;
};

} // namespace dprof
