// Stage: trace -> replay. The decoder's part for RAW chunks: finds each path by its number and hands its words on.
#include "dprof/live_trace.h"
#include "trace/batch_place.h"

namespace dprof {

/// Whole groups, as those of paths are; what is behind the path's words in the last one is written over.
static inline void copyWords(uint64_t *__restrict to, const uint64_t *from, uint32_t count) {
  uint32_t i = 0;
  do {
    for (uint32_t k = i; k < i + Path::GROUP; k++) to[k] = from[k];
  } while ((i += Path::GROUP) < count);
}

void Decoder::openRaw(const ChunkPlace &place) {
  if (place.begin != ChunkBegin::RAW) // its predictions would go on from what nobody kept
    throw TraceError("EVENTS chunk", place.offset, "a RAW chunk behind a RAW chunk of its thread", "another kind");
  isRaw_ = true;
  const ChunkHead head = raw_.load(file_, place.offset, place.bytes, columns_.cursor[2]);
  // Nothing is left in the columns that such a chunk does not have; errors take their offset from there.
  columns_.cursor[0] = columns_.cursor[1] = Cursor{nullptr, nullptr, nullptr, place.offset, "words"};
  begin(place, head);
}

/// The loop that takes nearly all steps. It leaves untouched what rawStep has to look at: an event, a path that the
/// thread has not taken yet, whatever may be wrong.
void Decoder::rawSteps(Batch &batch) {
  while (stepsLeft_ && !loop_ && !isFull(batch)) {
    quickRawSteps(batch);
    if (stepsLeft_ && !loop_ && !isFull(batch)) rawStep(batch);
  }
}

void Decoder::quickRawSteps(Batch &batch) {
  const uint64_t *at = raw_.at, *const end = raw_.end;
  const uint64_t *const lastWord = batch.words.data() + mostSteps_ * WORDS_PER_STEP;
  BatchColumns columns(batch, calls_, paths_);
  BatchPlace place(batch, words_);
  uint32_t left = stepsLeft_;
  while (left && place.step < mostSteps_ && place.word < lastWord && at < end) {
    Path *taken = paths_.known(*at); // no path has the number of an event
    if (!taken || static_cast<uint64_t>(end - at) <= taken->codedWords) break;
    const uint64_t *const from = at + 1;
    at = from + taken->codedWords;
    left--;
    Path *const plain = taken->plain ? taken : BatchPlace::wholeOf(*taken, from);
    if (plain) [[likely]] {
      copyWords(place.word, from, plain->codedWords);
      place.add(columns, *plain);
      continue;
    }
    copyWords(taken->last(), from, taken->codedWords);
    place.store(batch, words_);
    emitCoded(batch, *taken);
    place = BatchPlace(batch, words_);
    columns.top = calls_.top();
    if (loop_) break;
  }
  place.store(batch, words_);
  raw_.at = at;
  stepsLeft_ = left;
}

/// Any step, which may be wrong.
void Decoder::rawStep(Batch &batch) {
  if (raw_.at == raw_.end) raw_.fail("one more step", "the end of the words");
  const uint64_t number = *raw_.at;
  if (number == DPROF_LIVE_RAW_EVENT) {
    raw_.at++;
    stepsLeft_--;
    batch.steps[batch.stepCount++] = EVENT_STEP;
    return takeEvent(batch);
  }
  if (number < own_.first || number >= own_.end)
    raw_.fail("a path of the modules of its own trace", std::to_string(number));
  const Path *path = paths_.find(number, columns_.cursor[1]);
  if (const auto left = static_cast<uint64_t>(raw_.end - raw_.at) - 1; left < path->codedWords) {
    raw_.at++;
    raw_.fail(std::to_string(path->codedWords) + " words of path " + std::to_string(number), std::to_string(left));
  }
  reserve(batch); // for what may be longer than all before; the loop takes it
}

} // namespace dprof
