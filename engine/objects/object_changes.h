// Stage: trace -> replay. Records and events -> the changes of objects that they report, for those who keep objects.
#pragma once

#include "batch/reference_batch.h"
#include "objects/object_lives.h"
#include "trace/event.h"

namespace dprof {

class ObjectChanges {
public:
  ObjectChanges(const Plans &plans, ObjectLives &objects) : plans_(plans), objects_(objects) {}

  /// A segment or marker at a function's entry, with the stack objects that it names.
  void enter(uint32_t thread, const RecordPlan &plan, const uint64_t *words, uint64_t now);
  /// A record that is no segment.
  void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, uint32_t callPath, uint64_t now);
  void event(uint32_t thread, const Event &event, uint64_t now);
  /// Whichever of these the change is, or the end of a frame. `callPath`: to its allocation.
  void apply(const ReferenceBatch &batch, const Change &change, uint32_t callPath);
  /// Whether `event` does anything.
  static bool changes(const Event &event) {
    return event.code == DPROF_EVENT_ALLOCATE || event.code == DPROF_EVENT_FREE ||
           event.code == DPROF_EVENT_THREAD_START || event.code == DPROF_EVENT_THREAD_END ||
           event.code == DPROF_EVENT_THREAD_LOCAL;
  }

private:
  const Plans &plans_;
  ObjectLives &objects_;
  std::vector<NewObject> entering_;
};

} // namespace dprof
