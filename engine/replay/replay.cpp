// Stage: replay. Runs the stages on as many threads as are allowed. Steps are ordered and laid out; then, for each
// machine, looked up in its caches, and counted. Order and time depend on no cache, no cache on an object, and no
// object on a cache. So each stage has its own state and does not depend on how far ahead the others are. A lone
// thread on one machine is mostly looked up while it is laid out: these two stages are then one.
#include "replay/replay.h"

#include <algorithm>
#include <type_traits>

#include "layout/reference_stream.h"
#include "order/ordered_stream.h"
#include "replay/pipeline.h"
#include "trace/live_source.h"

namespace dprof {

constexpr size_t TOGETHER = 64; // of several machines: each stays in the host's caches for so many, or more would be
                                // lost than decoding once saves

Replay::Replay(const Input &input, const std::vector<Machine> &others)
    : input_(input), plans_(makePlans(input)), file_(input.live ? TraceFile(*input.live) : TraceFile(input.path)) {
  Input of = input;
  of.threads.clear(); // the first stage's
  machines.push_back(std::make_unique<OnMachine>(of, plans_));
  for (const Machine &other : others) {
    if (!laysOutAlike(other, input.machine))
      throw InputError("machines of one replay must have the same cores and the same line size");
    of.machine = other;
    machines.push_back(std::make_unique<OnMachine>(of, plans_));
  }
  totalBytes_ = input.chunkBytes();
}

Replay::~Replay() = default;

void Replay::run() {
  advance();
  finish();
}

void Replay::begin() {
  if (input_.live && input_.live->isTogether()) { // threads come as they are made
    ordered_ = std::make_unique<OrderedStream>(file_, plans_, input_, std::vector<uint32_t>{});
    return;
  }
  const std::vector<uint32_t> numbers = input_.threadsWithSteps();
  if (numbers.size() == 1 && input_.processes.empty()) { // nobody to wait for
    looksUpAhead_ = machines.size() == 1 && machines[0]->caches.lookups();
    alone_ = std::make_unique<ReferenceStream>(file_, plans_, input_, numbers[0],
                                               looksUpAhead_ ? machines[0]->caches.lookups() : nullptr);
  } else if (!numbers.empty()) {
    findSharedLines(numbers);
    ordered_ = std::make_unique<OrderedStream>(file_, plans_, input_, numbers);
  }
}

/// The same steps in the same order, without caches and counts: pages get the same numbers.
void Replay::findSharedLines(const std::vector<uint32_t> &numbers) {
  if (input_.mostSharedCounts == 0) return;
  auto lines = std::make_shared<ThreadLines>(input_.machine.lineShift);
  OrderedStream ahead(file_, plans_, input_, numbers);
  for (ReferenceBatch batch; ahead.next(batch);) {
    lines->see(batch);
    reportProgress(batch.slots, batch.passed, true);
  }
  for (const std::unique_ptr<OnMachine> &on : machines) on->counts.sharedAddresses->setLines(lines);
}

void Replay::advance() {
  if (!alone_ && !ordered_) begin();
  if (alone_) runStages(*alone_);
  if (ordered_) runStages(*ordered_);
  if (!alone_ && !ordered_)
    std::copy_n(WindowBorders(input_.window).positions(), std::size(window),
                window); // no step, and yet a border before all steps
}

void Replay::finish() {
  if (ordered_ && input_.schedule.kind != Schedule::RECORDED) parallelism = ordered_->parallelism();
  bool isEmpty = input_.window.border[ReplayWindow::FROM].kind != Border::NONE &&
                 !window[ReplayWindow::FROM].reached; // nothing lies in it
  for (const std::unique_ptr<OnMachine> &on : machines) {
    if (isEmpty) {
      on->caches.beginWindow();
      on->counts.beginWindow();
    }
    on->caches.eachInL1([&](uint64_t address, const uint64_t *used) { on->counts.leave(address, used); });
    on->counts.finish();
  }
}

template <typename Stream> void Replay::runStages(Stream &stream) {
  std::vector<Pipeline<ReferenceBatch>::Work> stages{Pipeline<ReferenceBatch>::holdErrors(
      [&](ReferenceBatch &batch) { return !(input_.live && input_.live->isPaused()) && stream.next(batch); })};
  for (const std::unique_ptr<OnMachine> &each : machines) {
    OnMachine *on = each.get();
    if (!looksUpAhead_)
      stages.push_back([on](ReferenceBatch &batch) {
        on->caches.lookUp(batch);
        return true;
      });
    stages.push_back([this, on](ReferenceBatch &batch) {
      on->counts.count(batch);
      if (on == machines.back().get()) reportProgress(on->counts.totals.slots, batch.passed, false);
      if (input_.live) reportTopTypes();
      return true;
    });
  }
  std::function<bool()> ahead;
  if constexpr (std::is_same_v<Stream, ReferenceStream>)
    if (!input_.live) ahead = [&stream] { return stream.decodeAhead(); }; // others' decoders wait for the program
  const size_t depth = machines.size() > 1 ? TOGETHER : input_.workers < 2 ? 1 : BATCHES;
  Pipeline<ReferenceBatch>(std::move(stages), depth, std::move(ahead)).run(input_.workers);
  std::copy_n(stream.positions(), std::size(window), window);
}

/// Reports the progress for `slots` slots on each machine. A pass ahead replays no references, so its count is told as
/// a negative number.
void Replay::reportProgress(uint64_t slots, uint64_t passed, bool isAhead) {
  if (!input_.progress) return;
  const double done = static_cast<double>(slots) * static_cast<double>(machines.size());
  const uint64_t total = input_.live ? input_.live->steps() : totalBytes_; // so far
  double share = total ? static_cast<double>(passed) / static_cast<double>(total) : 1;
  input_.progress[0] = isAhead ? -done : done;
  input_.progress[1] = share <= 0 ? 0 : done / share;
}

} // namespace dprof
