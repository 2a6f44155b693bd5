// Stage: trace -> replay. The decoder's part for RAW chunks: finds each path by its number and hands its words on.
#include "dprof/live_trace.h"
#include "trace/decoder.h"

namespace dprof {

void Decoder::openRaw(const ChunkPlace &place) {
  if (place.begin != ChunkBegin::RAW) // its predictions would go on from what nobody kept
    throw TraceError("EVENTS chunk", place.offset, "a RAW chunk behind a RAW chunk of its thread", "another kind");
  isRaw_ = true;
  ChunkHead head = raw_.load(file_, place.offset, place.bytes, columns_.cursor[2]);
  // Nothing is left in the columns that such a chunk does not have; errors take their offset from there.
  columns_.cursor[0] = columns_.cursor[1] = Cursor{nullptr, nullptr, nullptr, place.offset, "words"};
  stepsLeft_ = head.steps;
  eventsLeft_ = head.events;
  events_.restart(columns_.cursor[2]);
  open_ = true;
  bytesRead_ += place.bytes;
  chunk_++;
}

void Decoder::rawSteps(Batch &batch) {
  reserve(batch);
  uint64_t longest = uint64_t{paths_.maxRecords()} + paths_.maxWords();
  while (stepsLeft_ && !loop_ && !isFull(batch)) {
    if (raw_.at == raw_.end) raw_.fail("one more step", "the end of the words");
    const uint64_t number = *raw_.at;
    stepsLeft_--;
    if (number == DPROF_LIVE_RAW_EVENT) {
      raw_.at++;
      batch.steps[batch.stepCount++] = EVENT_STEP;
      takeEvent(batch);
      continue;
    }
    if (number < own_.first || number >= own_.end)
      raw_.fail("a path of the modules of its own trace", std::to_string(number));
    Path *path = paths_.find(number, columns_.cursor[1]);
    if (uint64_t now = uint64_t{paths_.maxRecords()} + paths_.maxWords(); now != longest) {
      longest = now;
      reserve(batch);
    }
    raw_.at++;
    if (const auto left = static_cast<uint64_t>(raw_.end - raw_.at); left < path->codedWords)
      raw_.fail(std::to_string(path->codedWords) + " words of path " + std::to_string(number), std::to_string(left));
    emitRaw(batch, *path);
    raw_.at += path->codedWords;
  }
}

/// Reads whole groups, as those of paths are; what is behind the path's words in the last one is written over.
inline void Decoder::emitRaw(Batch &batch, Path &path) {
  const uint64_t *from = raw_.at;
  uint64_t *__restrict out = path.plain ? batch.words.data() + words_ : path.last();
  uint32_t i = 0;
  do {
    for (uint32_t k = i; k < i + Path::GROUP; k++) out[k] = from[k];
  } while ((i += Path::GROUP) < path.codedWords);
  if (!path.plain) return emitCoded(batch, path);
  words_ += path.codedWords;
  batch.add(&path);
}

} // namespace dprof
