// Stage: trace -> placing. All steps in the recorded order, which depends on no machine, or in a random one if the
// schedule says so; at each step lives what it names.
#pragma once

#include <memory>
#include <vector>

#include "placing/steps_ahead.h"
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
  uint64_t heapSize(const Event &free) { return tracked_.objects.heapSize(free.address, free.detail); }

protected:
  /// A step begins; `event`: null if it is a record.
  virtual void before(uint32_t /* thread */, const Event * /* event */) {}
  /// `stamp`: of a STAMPED record; else null.
  virtual void record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, const Event *stamp) = 0;
  virtual void event(uint32_t thread, const Event &event) = 0;
  // Of the only thread: plain records at a time. False: each is to be told by `record`.
  virtual bool path(uint32_t /* thread */, const PlainPath & /* path */, const uint64_t * /* words */) { return false; }
  /// `words`: of the first iteration, then as many strides.
  virtual bool loop(uint32_t /* thread */, const DecodedLoop & /* loop */, const uint64_t * /* words */) {
    return false;
  }
  /// Whether the next steps' addresses will be looked up.
  virtual bool looksUp() const { return false; }
  /// What is kept by the number of an object that may be looked up soon.
  virtual void fetch(uint32_t /* object */) const {}

  const Input &input_;
  const Plans plans_;
  TrackedObjects tracked_;

private:
  void runInTurns();
  void issueRecord(ThreadRun &thread);
  void issuePath(ThreadRun &thread);
  void issueLoop(ThreadRun &thread);
  void eachRecord(uint32_t thread, const uint32_t *records, size_t count, const uint64_t *words);
  void issueEvent(ThreadRun &thread);

  TraceFile file_;
  StepSource source_;
  std::vector<std::unique_ptr<ThreadRun>> threads_;
  std::vector<uint64_t> words_; // of the path or iteration at hand
};

} // namespace dprof
