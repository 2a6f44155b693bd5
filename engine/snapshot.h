// Stage: replay, while the program runs. What a run's end settles, and the same in copies, for a report on a replay that goes on.
#pragma once

#include "cache_stage.h"
#include "count_stage.h"

namespace dprof {

/// What is read of a replay, and is not final before its end.
struct Settled {
  explicit Settled(const CountStage &ended)
      : Settled(ended.tallies, ended.labels, ended.objectCounters, ended.unusedBytes, ended.objects.columns) {}
  Settled(const Tallies &tallies, const Labels &labels, const ObjectCounters &objectCounters, const UnusedBytes &unusedBytes, const ObjectColumns &objects)
      : tallies(tallies), labels(labels), objectCounters(objectCounters), unusedBytes(unusedBytes), objects(objects) {}
  const Tallies &tallies;
  const Labels &labels;
  const ObjectCounters &objectCounters;
  const UnusedBytes &unusedBytes;
  const ObjectColumns &objects;
};

/// As if the run ended now. Between two batches; afterwards the replay is as it was.
class Snapshot {
public:
  Snapshot(const Input &input, const Plans &plans, CacheStage &caches, CountStage &counts);
  Snapshot(const Snapshot &) = delete; // its parts refer to one another
  Settled settled() const { return {tallies_, labels_, objectCounters_, unusedBytes_, objects_}; }

private:
  Tallies tallies_;
  Labels labels_;
  ObjectCounters objectCounters_;
  UnusedBytes unusedBytes_;
  ObjectColumns objects_;
};

} // namespace dprof
