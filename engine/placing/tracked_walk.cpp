// Stage: trace -> placing. What a step does to objects: docs/replay/objects.md.
#include "placing/tracked_walk.h"

#include "batch/reference_batch.h"
#include "order/random_order.h"
#include "order/recorded_order.h"

namespace dprof {

TrackedWalk::TrackedWalk(const Input &input)
    : input_(input), plans_(makePlans(input)), tracked_(input, plans_), file_(input.path),
      source_{file_, plans_, input} {
  for (uint32_t number : input.threadsWithSteps())
    threads_.push_back(std::make_unique<ThreadRun>(source_, number, uint16_t{0}));
  if (threads_.size() == 1 && !input.threads[threads_[0]->number].process)
    source_.whole = {.loops = true, .paths = true};
}

void TrackedWalk::run() {
  if (threads_.size() > 1 && input_.schedule.kind == Schedule::RANDOM) return runInTurns();
  if (threads_.size() > 1) return RecordedOrder<TrackedWalk>(*this, file_, input_, plans_, threads_).run();
  StepsAhead ahead(plans_, tracked_);
  for (const std::unique_ptr<ThreadRun> &lone : threads_)
    for (uint64_t steps = 0; lone->ready(); steps++) {
      if (steps % 4096 == 0) reportProgress(lone->passed());
      if (tracked_.objects.count() > StepsAhead::FEW_OBJECTS && looksUp())
        ahead.look(*lone, [this](uint32_t object) { fetch(object); });
      issue(*lone);
    }
}

void TrackedWalk::runInTurns() {
  Parallelism parallelism;
  auto waits = std::make_unique<SyncWaits>(file_, input_, plans_, threads_, nullptr, parallelism);
  RandomOrder<TrackedWalk>(*this, std::move(waits), threads_, input_.schedule.seed).run();
}

void TrackedWalk::reportProgress(uint64_t passed) {
  if (input_.progress) input_.progress[0] = static_cast<double>(passed);
}

void TrackedWalk::issue(ThreadRun &thread) {
  const uint32_t step = thread.record();
  if (isRecordStep(step)) return issueRecord(thread);
  if (step == EVENT_STEP) return issueEvent(thread);
  isPathStep(step) ? issuePath(thread) : issueLoop(thread);
}

void TrackedWalk::eachRecord(uint32_t thread, const uint32_t *records, size_t count, const uint64_t *words) {
  for (const uint32_t *end = records + count; records != end; records++) {
    const RecordPlan &plan = plans_.records[*records];
    before(thread, nullptr);
    record(thread, plan, words, nullptr);
    words += plan.codedWords;
  }
}

void TrackedWalk::issuePath(ThreadRun &thread) {
  const PlainPath &whole = thread.pathAt(thread.record());
  before(thread.number, nullptr);
  if (!path(thread.number, whole, thread.words())) {
    words_.clear();
    for (const PlainWord &word : whole.words) words_.push_back(word.source.of(thread.words()));
    eachRecord(thread.number, whole.records.data(), whole.records.size(), words_.data());
  }
  thread.clock += whole.instructions;
  thread.passWhole(whole.codedWords);
}

void TrackedWalk::issueLoop(ThreadRun &thread) {
  const DecodedLoop &whole = thread.loopAt(thread.record());
  Path &iteration = *whole.path;
  const size_t words = iteration.wordCount;
  before(thread.number, nullptr);
  if (!loop(thread.number, whole, thread.words())) {
    words_.assign(thread.words(), thread.words() + words);
    for (uint64_t i = 0; i < whole.iterations; i++) {
      eachRecord(thread.number, iteration.records(), iteration.recordCount, words_.data());
      for (size_t word = 0; word < words; word++) words_[word] += thread.words()[words + word];
    }
  }
  thread.clock += whole.iterations * iteration.loop->instructions;
  thread.passWhole(2 * words);
}

void TrackedWalk::issueRecord(ThreadRun &thread) {
  const RecordPlan &plan = plans_.records[thread.record()];
  before(thread.number, nullptr);
  const uint64_t *words = thread.words();
  const Event *stamp = plan.stamped ? &thread.event() : nullptr;
  const bool frees = plan.tag == DPROF_RECORD_FREE;
  if (plan.tag == DPROF_RECORD_SEGMENT) {
    if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain) tracked_.changes.enter(thread.number, plan, words, 0);
  } else if (!frees) {
    tracked_.changes.record(thread.number, plan, words, 0, 0);
  }
  record(thread.number, plan, words, stamp);
  if (frees) tracked_.changes.record(thread.number, plan, words, 0, 0);
  if (closesFrame(plan)) tracked_.objects.leaveFrame(thread.number, plan.function, 0);
  thread.clock += plan.instructions;
  thread.passRecord(plan);
}

void TrackedWalk::issueEvent(ThreadRun &thread) {
  const Event &now = thread.event();
  before(thread.number, &now);
  const bool ends = now.code == DPROF_EVENT_FREE || now.code == DPROF_EVENT_THREAD_END;
  if (!ends) tracked_.changes.event(thread.number, now, 0);
  event(thread.number, now);
  if (ends) tracked_.changes.event(thread.number, now, 0);
  thread.passEvent();
}

} // namespace dprof
