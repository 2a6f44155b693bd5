// Stage: replay. The schedule that the input names, with the replay as what issues steps.
#include "scheduler.h"

#include "logical_order.h"
#include "random_order.h"
#include "recorded_order.h"

namespace dprof {

namespace {

/// What an order asks of the replay.
template <bool Single> struct Issuer {
  Replay &replay;
  /// The thread's next step, which is there; its clock moves.
  void issue(ThreadRun &thread) { replay.issue<Single>(thread); }
  /// Of the live heap object that starts there, 0 if none does.
  uint64_t heapSize(uint64_t address, uint8_t allocator) { return replay.objects.heapSize(address, allocator); }
  void reportProgress(uint64_t bytesRead) { replay.reportProgress(bytesRead); }
};

} // namespace

template <bool Single> void runInOrder(Replay &replay, std::vector<std::unique_ptr<ThreadRun>> &threads) {
  Issuer<Single> issuer{replay};
  const Schedule &schedule = replay.input.schedule;
  if (schedule.kind == Schedule::RECORDED) return runRecorded(issuer, replay.file, replay.input, replay.plans, threads);
  SyncWaits waits(replay.file, replay.input, replay.plans, threads);
  if (schedule.kind == Schedule::RANDOM) RandomOrder(issuer, waits, threads, schedule.seed).run();
  else LogicalOrder(issuer, waits, threads).run();
  waits.checkAllEnded();
}

template void runInOrder<true>(Replay &, std::vector<std::unique_ptr<ThreadRun>> &);
template void runInOrder<false>(Replay &, std::vector<std::unique_ptr<ThreadRun>> &);

} // namespace dprof
