// Stage: trace -> replay. The prediction of docs/trace-format.md, in reverse. Long runs stay in one tight loop.
#include "trace/batch_place.h"

namespace dprof {

constexpr uint64_t MAX_LENGTH = uint64_t{1} << 40;       // no program copies or fills a TiB in one call
constexpr uint64_t MAX_LOOP_RECORDS = uint64_t{1} << 40; // of all iterations of a loop: what a program makes in months

Decoder::Decoder(const TraceFile &file, const Plans &plans, const ThreadChunks &chunks, Whole whole)
    : file_(fileOf(chunks, file)), plans_(plans), chunks_(chunks), own_(ownPaths(chunks)), events_(plans.keptTexts),
      whole_(whole), paths_(plans, whole.paths, whole.loops) {}

bool Decoder::openChunk() {
  std::optional<ChunkPlace> place = chunks_.at(chunk_);
  if (!place) return false;
  if (place->begin == ChunkBegin::RAW || isRaw_) {
    openRaw(*place);
    return true;
  }
  begin(*place, columns_.load(file_, place->offset, place->bytes, 0));
  runKnown_ = false;
  if (place->begin != ChunkBegin::GOES_ON) restart();
  gapAhead_ = place->begin == ChunkBegin::GAP;
  return true;
}

void Decoder::begin(const ChunkPlace &place, ChunkHead head) {
  stepsLeft_ = head.steps;
  eventsLeft_ = head.events;
  events_.restart(columns_.cursor[2]);
  open_ = true;
  passed_ += file_.live() ? head.steps : place.bytes;
  chunk_++;
}

void Decoder::restart() {
  paths_.forgetPredictions();
  previous_ = nullptr;
  base_ = 0;
}

/// Chunks are missing: those that follow the thread hear of it as of paths that were lost.
void Decoder::emitGap(Batch &batch) {
  gapAhead_ = false;
  batch.steps[batch.stepCount++] = EVENT_STEP;
  Event &gap = room(batch);
  gap = {};
  gap.code = DPROF_EVENT_LOST;
  gap.detail = DPROF_LOST_CHUNKS;
  gap.cpu = NO_CPU;
  calls_ = {};
}

void Decoder::closeChunk() {
  if (isRaw_) raw_.close();
  for (unsigned i = 0; i < 2; i++)
    if (!columns_.cursor[i].done()) columns_.cursor[i].fail("the column's end");
  if (eventsLeft_ || !events_.done())
    throw TraceError("events column", columns_.cursor[2].offset, "all its entries to be used",
                     std::to_string(eventsLeft_) + " left over");
  open_ = false;
}

bool Decoder::next(Batch &batch, size_t steps) {
  mostSteps_ = steps;
  reserve(batch);
  batch.stepCount = batch.eventCount = words_ = 0;
  batch.loops.clear();
  batch.callPaths.clear();
  while (!isFull(batch)) {
    if (loop_) {
      loopSteps(batch);
      continue;
    }
    if (!open_) {
      if (!openChunk()) break;
      continue;
    }
    if (gapAhead_) {
      emitGap(batch);
      continue;
    }
    if (isRaw_ && stepsLeft_) {
      rawSteps(batch);
      continue;
    }
    if (runLeft_) {
      predictedSteps(batch);
      continue;
    }
    if (!runKnown_ && quickSteps(batch)) continue;
    if (!runKnown_ && !isRaw_) {
      if (stepsLeft_ || !columns_.cursor[0].done()) runLeft_ = columns_.cursor[0].varint();
      if (runLeft_ > stepsLeft_)
        throw TraceError("control column", columns_.cursor[0].offset, "a run of at most " + std::to_string(stepsLeft_),
                         std::to_string(runLeft_));
      runKnown_ = true;
      continue;
    }
    if (stepsLeft_ == 0) {
      closeChunk();
      continue;
    }
    codedStep(batch);
    runKnown_ = false;
  }
  return batch.stepCount != 0;
}

/// `emit` writes whole groups behind the batch's end: room for one path more than a full batch holds, its strides and
/// last iteration.
void Decoder::reserve(Batch &batch) const {
  size_t steps = mostSteps_ + paths_.maxRecords() + PathTable::SHORT_LOOP_WORDS + 1,
         words = mostSteps_ * WORDS_PER_STEP + 3 * paths_.maxWords() + PathTable::SHORT_LOOP_WORDS;
  if (batch.steps.size() < steps) batch.steps.resize(steps);
  if (batch.words.size() < words) batch.words.resize(words);
  if (batch.paths.size() < steps) batch.paths.resize(steps);
}

void Decoder::predictedSteps(Batch &batch) {
  Path *path = predicted();
  reserve(batch);
  while (runLeft_ && !loop_ && !isFull(batch)) {
    uint64_t *last = path->last();
    const uint64_t *stride = path->stride();
    uint32_t n = path->codedWords;
    uint32_t i = 0;
    do {
      for (uint32_t k = i; k < i + Path::GROUP; k++) last[k] += stride[k];
    } while ((i += Path::GROUP) < n);
    finish(*path);
    runLeft_--;
    stepsLeft_--;
    previous_ = path;
    emit(batch, *path);
    path = path->successor;
  }
}

void Decoder::codedStep(Batch &batch) {
  Cursor &control = columns_.cursor[0];
  uint8_t head = control.byte();
  stepsLeft_--;
  unsigned operation = head & 3, codes = head >> 2;
  if (operation == 3 || (operation == 2 && codes)) {
    control.at--;
    control.fail(operation == 3 ? "operation 0, 1 or 2" : "a runtime event without word codes");
  }
  if (operation == 2) {
    batch.steps[batch.stepCount++] = EVENT_STEP;
    takeEvent(batch);
    return;
  }
  Path *path;
  if (operation == 0) {
    path = predicted();
  } else {
    uint64_t number = previous_ ? previous_->successor->number : own_.first;
    number += control.zigzag();
    if (number < own_.first || number >= own_.end) control.fail("a path of the modules of its own trace");
    path = paths_.find(number, control);
  }
  if (path->codedWords <= 3)
    fewWords(*path, codes);
  else
    manyWords(*path, codes);
  if (previous_) previous_->successor = path;
  previous_ = path;
  reserve(batch);
  emit(batch, *path);
}

/// At most three words, as nearly all paths have: the padding behind them is decoded too, as predicted (to 0). No
/// branch depends on the codes.
inline void Decoder::fewWords(Path &path, unsigned codes) {
  Cursor &zigzags = columns_.cursor[1];
  uint64_t *last = path.last(), *stride = path.stride();
  uint64_t linked = last[0] + (base_ - path.base); // of the word at hand
  if (codes >> 2 * path.codedWords) columns_.cursor[0].fail("no codes behind those of the path's words");
  for (uint32_t i = 0; i < 3; i++, codes >>= 2) {
    unsigned code = codes & 3;
    uint64_t before = last[i];
    const uint64_t values[4] = {before + stride[i], linked, before, before};
    uint64_t value = values[code] + zigzags.zigzagIf(code == 2);
    linked = value + (last[i + 1] - before);
    stride[i] = value - before;
    last[i] = value;
  }
  finish(path);
}

void Decoder::manyWords(Path &path, unsigned codes) {
  Cursor &control = columns_.cursor[0], &zigzags = columns_.cursor[1];
  uint32_t n = path.codedWords;
  uint64_t *last = path.last(), *stride = path.stride();
  if (codes) control.fail("no word codes in the operation's byte");
  uint64_t linked = last[0] + (base_ - path.base); // of the word at hand
  for (uint32_t i = 0; i < n; i++, codes >>= 2) {
    if (i % 4 == 0) codes = control.byte();
    uint64_t before = last[i];
    const uint64_t values[4] = {before + stride[i], linked, before, before};
    uint64_t value = values[codes & 3];
    if ((codes & 3) == 2) value += zigzags.zigzag();
    if (i + 1 < n) linked = value + (last[i + 1] - before);
    stride[i] = value - before;
    last[i] = value;
  }
  if (codes) control.fail("no codes behind those of the path's words");
  finish(path);
}

/// Without a branch: a path without coded words has no use for a base.
inline void Decoder::finish(Path &path) {
  const uint64_t *last = path.last();
  path.base = base_;
  base_ = path.codedWords ? last[path.codedWords - 1] : base_;
}

/// The path's records with all their words, from the coded ones in `last`.
inline void Decoder::emit(Batch &batch, Path &path) {
  if (path.plain) return emitPlain(batch, path);
  if (path.loop) return beginLoop(batch, path);
  const uint64_t *last = path.last();
  const WordSource *source = path.words();
  const uint32_t *records = path.records();
  uint64_t *__restrict out = batch.words.data() + words_;
  uint32_t *__restrict steps = batch.steps.data() + batch.stepCount;
  uint32_t i = 0;
  do {
    for (uint32_t k = i; k < i + Path::GROUP; k++) out[k] = source[k].of(last);
  } while ((i += Path::GROUP) < path.wordCount);
  i = 0;
  do {
    for (uint32_t k = i; k < i + Path::GROUP; k++) steps[k] = records[k];
  } while ((i += Path::GROUP) < path.recordCount);
  words_ += path.wordCount;
  batch.stepCount += path.recordCount;
  if (whole_.calls) passRecords(batch, records, path.recordCount);
  if (path.lengthCount) checkLengths(path);
  if (path.stamped) takeEvent(batch);
}

void Decoder::emitCoded(Batch &batch, Path &path) { emit(batch, path); }

inline void Decoder::emitPlain(Batch &batch, Path &path) {
  const uint64_t *last = path.last();
  uint64_t *__restrict out = batch.words.data() + words_;
  uint32_t i = 0;
  do {
    for (uint32_t k = i; k < i + Path::GROUP; k++) out[k] = last[k];
  } while ((i += Path::GROUP) < path.codedWords);
  BatchColumns columns(batch, calls_, paths_);
  BatchPlace end(batch, words_);
  end.add(columns, path);
  end.store(batch, words_);
}

void Decoder::beginLoop(Batch &batch, Path &path) {
  if (BatchPlace::isShortLoop(path)) {
    BatchColumns columns(batch, calls_, paths_);
    const BatchPlace end(batch, words_);
    return BatchPlace::behindShortLoop(end.word, end.step, columns, path).store(batch, words_);
  }
  const uint64_t *last = path.last();
  const WordSource *source = path.words();
  uint64_t iterations = last[0];
  if (iterations > MAX_LOOP_RECORDS / path.recordCount)
    throw TraceError("iterations of a loop in the words column", columns_.cursor[1].offset,
                     "at most 2^40 records in all",
                     std::to_string(iterations) + " iterations of " + std::to_string(path.recordCount));
  uint32_t padded = Path::padded(path.wordCount);
  if (loopWords_.size() < padded) {
    loopWords_.resize(padded);
    loopStrides_.resize(padded);
  }
  for (uint32_t i = 0; i < path.wordCount; i++) {
    loopWords_[i] = source[i].of(last);
    loopStrides_[i] = path.loop->strides[i].of(last);
  }
  loop_ = &path;
  iterationsLeft_ = iterations;
  if (whole_.loops && iterations && path.loop->plain) wholeLoop(batch, path, iterations);
}

void Decoder::wholeLoop(Batch &batch, Path &path, uint64_t iterations) {
  batch.steps[batch.stepCount++] = LOOP_STEP | static_cast<uint32_t>(batch.loops.size());
  batch.loops.push_back({&path, iterations});
  uint64_t *out = batch.words.data() + words_;
  std::copy_n(loopWords_.data(), path.wordCount, out);
  std::copy_n(loopStrides_.data(), path.wordCount, out + path.wordCount);
  words_ += 2 * size_t{path.wordCount};
  for (uint32_t i = 0; i < path.wordCount; i++) loopWords_[i] += iterations * loopStrides_[i];
  if (whole_.calls) // every iteration leaves the stack as the first one does
    for (uint32_t i = 0; i < path.recordCount; i++) calls_.pass(plans_.records[path.records()[i]].function, 0, 0);
  iterationsLeft_ = 0;
  appendIteration(batch, path.loop->tailRecords, path.loop->tailWords);
  loop_ = nullptr;
}

void Decoder::loopSteps(Batch &batch) {
  reserve(batch);
  if (iterationsLeft_ && !isFull(batch)) appendIterations(batch);
  if (iterationsLeft_ || isFull(batch)) return;
  appendIteration(batch, loop_->loop->tailRecords, loop_->loop->tailWords);
  loop_ = nullptr;
}

/// Iterations until there are no more, or the batch is full: at least one. Word by word, because each has its own
/// stride.
void Decoder::appendIterations(Batch &batch) {
  const size_t words = loop_->wordCount, records = loop_->recordCount;
  auto until = [](size_t left, size_t each) { return (left + each - 1) / each; };
  size_t count = until(mostSteps_ - batch.stepCount, records);
  if (words) count = std::min(count, until(mostSteps_ * WORDS_PER_STEP - words_, words));
  count = static_cast<size_t>(std::min<uint64_t>(count, iterationsLeft_));
  uint64_t *const out = batch.words.data() + words_;
  for (size_t word = 0; word < words; word++) {
    uint64_t value = loopWords_[word];
    const uint64_t stride = loopStrides_[word];
    for (uint64_t *at = out + word, *end = at + count * words; at != end; at += words, value += stride) *at = value;
    loopWords_[word] = value;
  }
  uint32_t *step = batch.steps.data() + batch.stepCount;
  for (const uint32_t *record = loop_->records(), *end = record + records; record != end; record++, step++)
    for (size_t i = 0; i < count; i++) step[i * records] = *record;
  words_ += count * words;
  batch.stepCount += count * records;
  if (whole_.calls)
    for (size_t i = 0; i < count; i++) passRecords(batch, loop_->records(), loop_->recordCount);
  iterationsLeft_ -= count;
}

inline void Decoder::appendIteration(Batch &batch, uint32_t records, uint32_t words) {
  const uint32_t *record = loop_->records();
  uint64_t *__restrict out = batch.words.data() + words_;
  uint32_t *__restrict steps = batch.steps.data() + batch.stepCount;
  for (uint32_t i = 0; i < words; i++) out[i] = loopWords_[i];
  for (uint32_t i = 0; i < records; i++) steps[i] = record[i];
  words_ += words;
  batch.stepCount += records;
  if (whole_.calls) passRecords(batch, record, records);
}

/// Follows the functions that the thread goes through.
void Decoder::passRecords(Batch &batch, const uint32_t *records, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const RecordPlan &plan = plans_.records[records[i]];
    calls_.pass(plan);
    if (plan.tag == DPROF_RECORD_ALLOCATION) batch.callPaths.push_back(calls_.path(plan.firstSlot));
  }
}

void Decoder::checkLengths(Path &path) const {
  for (uint32_t i = 0; i < path.lengthCount; i++)
    if (uint64_t length = path.last()[path.lengths()[i]]; length > MAX_LENGTH)
      throw TraceError("length of a block operation in the words column", columns_.cursor[1].offset,
                       "at most 2^40 bytes", std::to_string(length));
}

/// For one more event.
inline Event &Decoder::room(Batch &batch) {
  if (batch.eventCount == batch.events.size()) batch.events.resize(std::max<size_t>(batch.eventCount * 2, 8));
  return batch.events[batch.eventCount++];
}

void Decoder::takeEvent(Batch &batch) {
  if (eventsLeft_ == 0) throw TraceError("events column", columns_.cursor[2].offset, "one more entry", "none");
  eventsLeft_--;
  Event &event = room(batch);
  events_.next(event);
  if (batch.steps[batch.stepCount - 1] != EVENT_STEP &&
      (event.code < DPROF_EVENT_RELEASE || event.code > DPROF_EVENT_BOTH || event.detail != DPROF_SYNC_ATOMIC))
    throw TraceError("events column", columns_.cursor[2].offset, "the stamp of an atomic",
                     "code " + std::to_string(event.code) + ", detail " + std::to_string(event.detail));
  if (isGap(event)) calls_ = {};
}

} // namespace dprof
