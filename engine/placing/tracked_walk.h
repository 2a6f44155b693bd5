// Stage: trace -> placing. All steps in the recorded order, which depends on no machine, or in a random one if the
// schedule says so; at each step lives what it names.
#pragma once

#include <memory>
#include <vector>

#include "order/thread_run.h"
#include "placing/tracked_objects.h"

namespace dprof {

class TrackedWalk {
public:
  explicit TrackedWalk(const Input &input);
  virtual ~TrackedWalk() = default;
  void run();

  // The interface for an order.
  void issue(ThreadRun &thread);
  bool isFull() const { return false; }
  void reportProgress(uint64_t passed);
  uint64_t heapSize(const Event &free) const { return tracked_.objects.heapSize(free.address, free.detail); }

protected:
  /// A step begins; `event`: null if it is a record.
  virtual void before(uint32_t /* thread */, const Event * /* event */) {}
  /// `stamp`: of a STAMPED record; else null.
  virtual void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) = 0;
  virtual void event(uint32_t thread, const Event &event) = 0;

  const Input &input_;
  const Plans plans_;
  TrackedObjects tracked_;

private:
  void runInTurns();
  void issueRecord(ThreadRun &thread);
  void issueEvent(ThreadRun &thread);

  TraceFile file_;
  StepSource source_;
  std::vector<std::unique_ptr<ThreadRun>> threads_;
};

} // namespace dprof
