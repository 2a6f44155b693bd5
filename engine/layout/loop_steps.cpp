// Stage: trace -> replay. Loops of a lone thread: iterations that are alike as one run, the others as references.
#include <bit>

#include "layout/reference_stream.h"

namespace dprof {

constexpr uint32_t LEAST_ITERATIONS = 4; // of a run
constexpr int64_t NEAR_STRIDE = 1024;

void ReferenceStream::beginLoop(const DecodedLoop &loop) {
  const LoopShape &shape = *loop.path->loop;
  const uint64_t *words = steps_.words.data() + word_;
  uint32_t count = loop.path->wordCount;
  loop_.shape = &shape;
  loop_.iterations = loop.iterations;
  loop_.records = loop.path->records();
  loop_.recordCount = loop.path->recordCount;
  loop_.record = loop_.word = 0;
  loop_.mostReferences = 0;
  for (uint32_t slot : shape.slots) loop_.mostReferences += referencesOf(lineMask_, plans_.slots[slot].size);
  loop_.addresses.assign(words, words + count);
  loop_.strides.assign(words + count, words + 2 * size_t{count});
  step_++;
  word_ += 2 * size_t{count};
}

void ReferenceStream::takeLoop(ReferenceBatch &batch) {
  uint32_t streams = static_cast<uint32_t>(loop_.addresses.size());
  if (streams == 0) return passIterations(static_cast<uint32_t>(std::min<uint64_t>(loop_.iterations, 1 << 30)));
  uint32_t most = static_cast<uint32_t>(std::min<uint64_t>(loop_.iterations, (FULL_LOOPED - looped_) / streams + 1));
  if (uint64_t left = referencesToBorder(batch); left < most * loop_.mostReferences)
    most = static_cast<uint32_t>(left / loop_.mostReferences);
  if (most == 0 || loop_.record) return layOutRecord(batch); // a border may lie in the iteration
  if (skips()) {
    uint64_t references = referencesOfRun(most);
    passIterations(most);
    return passSkipped(references);
  }
  if (uint32_t iterations = streams > LoopRun::MOST_STREAMS ? 0 : layOutRun(batch, most))
    passIterations(iterations);
  else
    layOutIteration(batch);
}

/// The time of changes is exact between iterations only, and nothing changes in a loop.
void ReferenceStream::passIterations(uint32_t count) {
  for (size_t i = 0; i < loop_.addresses.size(); i++) loop_.addresses[i] += count * loop_.strides[i];
  loop_.iterations -= count;
  segmentCount_ += uint64_t{count} * loop_.recordCount;
  slotCount_ += uint64_t{count} * loop_.addresses.size();
  time_ += uint64_t{count} * loop_.shape->instructions;
}

/// As many iterations as go into a run, at most `most`; 0, and nothing laid out, if it is not worth one.
uint32_t ReferenceStream::layOutRun(ReferenceBatch &batch, uint32_t most) {
  uint32_t streams = static_cast<uint32_t>(loop_.addresses.size());
  for (uint32_t i = 0; i < streams; i++) most = std::min(most, iterationsOfStream(i, most));
  if (most < LEAST_ITERATIONS) return 0;
  uint32_t first = static_cast<uint32_t>(batch.streams.size());
  for (uint32_t i = 0; i < streams; i++) layOutStream(batch, i, most);
  batch.runs.push_back({batch.count, static_cast<uint32_t>(batch.changes.size()), first, streams, most, 0,
                        loop_.shape->instructions, time_}); // only now: no address of it is bad
  looped_ += most * streams;
  if (countsReferences()) addReferences(referencesOfRun(most));
  return most;
}

static bool isFar(int64_t stride) { return stride > NEAR_STRIDE || stride < -NEAR_STRIDE; }

/// From its next iteration on, for how many the stream is as a run has it.
uint32_t ReferenceStream::iterationsOfStream(uint32_t word, uint32_t most) const {
  uint64_t address = loop_.addresses[word], size = plans_.slots[loop_.shape->slots[word]].size;
  int64_t stride = static_cast<int64_t>(loop_.strides[word]);
  if (size - 1 > lineMask_) return 0;
  if (isFar(stride)) {
    if (std::has_single_bit(size) && ((address | loop_.strides[word]) & (size - 1)) == 0) return most;
    uint32_t count = 0;
    while (count < most && (address & lineMask_) + size - 1 <= lineMask_) {
      address += loop_.strides[word];
      count++;
    }
    return count;
  }
  uint64_t offset = address & (PageMap::pageBytes - 1);
  if (offset + size > PageMap::pageBytes) return 0;
  if (stride == 0) return most;
  uint64_t further = stride > 0 ? (PageMap::pageBytes - size - offset) / static_cast<uint64_t>(stride)
                                : offset / static_cast<uint64_t>(-stride);
  return static_cast<uint32_t>(std::min<uint64_t>(most, further + 1));
}

void ReferenceStream::layOutStream(ReferenceBatch &batch, uint32_t word, uint32_t iterations) {
  uint32_t slot = loop_.shape->slots[word];
  uint64_t address = loop_.addresses[word];
  int64_t stride = static_cast<int64_t>(loop_.strides[word]);
  LoopStream stream{address, stride,        slot, shapes_[slot].store,      plans_.slots[slot].size,
                    0,       isFar(stride), 0,    loop_.shape->before[word]};
  if (stream.far) {
    stream.granule = static_cast<uint32_t>(batch.pieces.size());
    batch.pieces.resize(batch.pieces.size() + iterations);
  }
  if (numbersPages_) // the caches come later, but a bad address ends the stretch here
    for (uint32_t i = 0; i < (stream.far ? iterations : 1); i++) granuleOf(batch, address + i * loop_.strides[word]);
  batch.streams.push_back(stream);
}

/// All references of the next iterations.
uint64_t ReferenceStream::referencesOfRun(uint32_t iterations) const {
  uint64_t count = 0;
  for (size_t i = 0; i < loop_.addresses.size(); i++) {
    uint64_t address = loop_.addresses[i], size = plans_.slots[loop_.shape->slots[i]].size;
    if (loop_.strides[i] == 0)
      count += iterations * referencesOf(address, size);
    else
      for (uint32_t k = 0; k < iterations; k++, address += loop_.strides[i]) count += referencesOf(address, size);
  }
  return count;
}

/// Room for so many references more.
void ReferenceStream::reserve(ReferenceBatch &batch, size_t references) {
  batch.references.resize(std::max(batch.references.size(), batch.count + references));
  if (timed_) batch.times.resize(batch.references.size());
}

/// Lays out one record of an iteration; a border may lie behind it.
void ReferenceStream::layOutRecord(ReferenceBatch &batch) {
  const RecordPlan &plan = plans_.records[loop_.records[loop_.record]];
  reserve(batch, plan.slotCount);
  stepTime_ = time_;
  for (uint32_t slot = plan.firstSlot; slot < plan.firstSlot + plan.slotCount; slot++)
    append(batch, slot, loop_.addresses[loop_.word++], plans_.slots[slot].size);
  segmentCount_++;
  slotCount_ += plan.slotCount;
  time_ += plan.instructions;
  if (skips()) passSkipped(0);
  if (++loop_.record < loop_.recordCount) return;
  loop_.record = loop_.word = 0;
  for (size_t i = 0; i < loop_.addresses.size(); i++) loop_.addresses[i] += loop_.strides[i];
  loop_.iterations--;
}

/// One iteration as ordinary references.
void ReferenceStream::layOutIteration(ReferenceBatch &batch) {
  reserve(batch, loop_.addresses.size());
  for (size_t i = 0; i < loop_.addresses.size(); i++) {
    uint32_t slot = loop_.shape->slots[i];
    stepTime_ = time_ + loop_.shape->before[i];
    append(batch, slot, loop_.addresses[i], plans_.slots[slot].size);
  }
  passIterations(1);
}

} // namespace dprof
