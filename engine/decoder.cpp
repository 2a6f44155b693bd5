// Stage: trace -> replay. The prediction of docs/trace-format.md, in reverse. Long runs stay in one tight loop.
#include "decoder.h"

namespace dprof {

constexpr size_t BATCH_STEPS = 1024, BATCH_WORDS = 4096;

Decoder::Decoder(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks)
    : file_(file), plans_(plans), chunks_(chunks), records_(plans.records.size()), words_(plans.words) {}

bool Decoder::openChunk() {
  if (chunk_ == chunks_.offset.size()) return false;
  uint64_t offset = chunks_.offset[chunk_];
  ChunkHead head = columns_.load(file_, offset, chunks_.bytes[chunk_], 0);
  stepsLeft_ = head.steps;
  eventsLeft_ = head.events;
  events_.restart(columns_.cursor[2]);
  runKnown_ = false;
  open_ = true;
  bytesRead_ += chunks_.bytes[chunk_];
  chunk_++;
  return true;
}

void Decoder::closeChunk() {
  for (unsigned i = 0; i < 2; i++)
    if (!columns_.cursor[i].done()) columns_.cursor[i].fail("the column's end");
  if (eventsLeft_ || !events_.done())
    throw TraceError("events column", columns_.cursor[2].offset, "all its entries to be used", std::to_string(eventsLeft_) + " left over");
  open_ = false;
}

bool Decoder::next(Batch &batch) {
  batch.steps.resize(BATCH_STEPS);
  batch.words.resize(BATCH_WORDS + plans_.maxWords);
  batch.stepCount = batch.eventCount = 0;
  uint64_t *out = batch.words.data();
  const uint64_t *limit = out + BATCH_WORDS;
  while (batch.stepCount < BATCH_STEPS && out < limit) {
    if (!open_) {
      if (!openChunk()) break;
      continue;
    }
    if (runLeft_) {
      out = predictedSteps(batch, out, limit);
      continue;
    }
    if (!runKnown_) {
      if (stepsLeft_ || !columns_.cursor[0].done()) runLeft_ = columns_.cursor[0].varint();
      if (runLeft_ > stepsLeft_) throw TraceError("control column", columns_.cursor[0].offset, "a run of at most " + std::to_string(stepsLeft_), std::to_string(runLeft_));
      if (runLeft_ && plans_.records.empty()) columns_.cursor[0].fail("a trace with records");
      runKnown_ = true;
      continue;
    }
    if (stepsLeft_ == 0) {
      closeChunk();
      continue;
    }
    out = codedStep(batch, out);
    runKnown_ = false;
  }
  return batch.stepCount != 0;
}

uint64_t *Decoder::predictedSteps(Batch &batch, uint64_t *out, const uint64_t *limit) {
  size_t count = batch.stepCount;
  size_t stop = count + std::min<uint64_t>(runLeft_, BATCH_STEPS - count);
  size_t start = count;
  RecordState *const records = records_.data();
  WordState *const words = words_.data();
  const RecordPlan *const plans = plans_.records.data();
  uint32_t previous = previous_;
  uint64_t base = base_;
  uint32_t record = predicted();
  while (count < stop && out < limit) {
    const RecordPlan &plan = plans[record];
    batch.steps[count++] = record;
    WordState *word = words + plan.firstWord;
    uint32_t n = plan.codedWords;
    if (n) {
#pragma clang loop vectorize(disable) unroll(disable)
      for (uint32_t i = 0; i < n; i++) out[i] = word[i].last += word[i].stride;
      records[record].link = out[0] - base;
      base = out[n - 1];
      out += n;
    }
    if (plan.stamped) {
      batch.stepCount = count;
      takeEvent(batch);
    }
    previous = record;
    record = records[record].successor ^ record;
  }
  runLeft_ -= count - start;
  stepsLeft_ -= static_cast<uint32_t>(count - start);
  batch.stepCount = count;
  previous_ = previous;
  base_ = base;
  return out;
}

uint64_t *Decoder::codedStep(Batch &batch, uint64_t *out) {
  Cursor &control = columns_.cursor[0], &zigzags = columns_.cursor[1];
  uint8_t head = control.byte();
  stepsLeft_--;
  unsigned operation = head & 3, codes = head >> 2;
  if (operation == 2) {
    if (codes) {
      control.at--;
      control.fail("a runtime event without word codes");
    }
    batch.steps[batch.stepCount++] = EVENT_STEP;
    takeEvent(batch);
    return out;
  }
  uint64_t record = predicted();
  if (operation == 1) record += control.zigzag();
  if (operation == 3 || record >= plans_.records.size()) {
    control.at--;
    control.fail(operation == 3 ? "operation 0, 1 or 2" : "a record of this trace");
  }
  const RecordPlan &plan = plans_.records[record];
  batch.steps[batch.stepCount++] = static_cast<uint32_t>(record);
  uint32_t n = plan.codedWords;
  RecordState &state = records_[record];
  WordState *word = words_.data() + plan.firstWord;
  const uint8_t *more = nullptr;
  if (n > 3) {
    uint32_t bytes = (n + 3) / 4;
    if (codes) {
      control.at--;
      control.fail("no word codes in the operation's byte");
    }
    if (static_cast<uint64_t>(control.end - control.at) < bytes) control.fail("the step's word codes");
    more = control.at;
    control.at += bytes;
  }
  uint64_t linked = base_ + state.link; // of the word at hand
  for (uint32_t i = 0; i < n; i++) {
    if (more && i % 4 == 0) codes = more[i / 4];
    uint64_t last = word[i].last;
    const uint64_t values[4] = {last + word[i].stride, linked, last, last};
    uint64_t value = values[codes & 3];
    if ((codes & 3) == 2) value += zigzags.zigzag();
    codes >>= 2;
    if (i + 1 < n) linked = value + (word[i + 1].last - last);
    word[i].stride = value - last;
    word[i].last = out[i] = value;
  }
  if (n) {
    state.link = out[0] - base_;
    base_ = out[n - 1];
  }
  if (previous_ != NO_INDEX) records_[previous_].successor = static_cast<uint32_t>(record) ^ previous_;
  previous_ = static_cast<uint32_t>(record);
  if (plan.stamped) takeEvent(batch);
  return out + n;
}

void Decoder::takeEvent(Batch &batch) {
  if (eventsLeft_ == 0) throw TraceError("events column", columns_.cursor[2].offset, "one more entry", "none");
  eventsLeft_--;
  if (batch.eventCount == batch.events.size()) batch.events.resize(batch.eventCount + 64);
  Event event = events_.next();
  if (batch.steps[batch.stepCount - 1] != EVENT_STEP && (event.code < DPROF_EVENT_RELEASE || event.code > DPROF_EVENT_BOTH))
    throw TraceError("events column", columns_.cursor[2].offset, "the stamp of an atomic", "event code " + std::to_string(event.code));
  batch.events[batch.eventCount++] = event;
}

} // namespace dprof
