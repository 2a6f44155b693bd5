// Stage: trace -> replay. Most steps are plain segments, so these loops hold nothing that they seldom need.
#include "layout/reference_stream.h"

#include <algorithm>

namespace dprof {

/// Misses come in flocks, and wait for the host's memory: what the words some way ahead will need is prefetched.
void ReferenceStream::Layout::fetch(const Lookups &lookups) {
  constexpr ptrdiff_t FROM = 8, TO = 24; // behind the step at hand
  const uint64_t *const from = std::max(fetched, words + FROM), *const end = std::min(words + TO, wordsEnd);
  if (from >= end) return;
  lookups.fetch(from, end);
  fetched = end;
}

/// False where a reference is in the way that it leaves to the caller: one that is odd, or on a page that was not asked
/// for lately.
template <bool Timed> [[gnu::noinline]] bool ReferenceStream::layOut(Layout &layout) {
  const PlainSegment *const segments = layout.segments;
  const SlotShape *const shapes = layout.shapes;
  const PageMap &pages = *layout.pages;
  const uint32_t lineMask = layout.lineMask;
  const uint64_t *words = layout.words;
  Reference *at = layout.at;
  uint32_t slot = layout.slot, slotEnd = layout.slotEnd;
  const PlainWord *word = layout.word, *wordEnd = layout.wordEnd;
  const uint64_t *coded = layout.coded;
  const uint32_t *step = layout.step;
  uint64_t time = layout.time, segmentCount = layout.segmentCount;
  uint64_t *times = layout.times, stepTime = layout.stepTime;
  const uint32_t *before = layout.before;
  bool done = true;
  auto put = [&](uint64_t address, SlotShape shape) {
    uint32_t frame = pages.findNear(PageMap::pageOf(address));
    if (!frame || (static_cast<uint32_t>(address) & lineMask) + shape.reach > lineMask) [[unlikely]]
      return false;
    *at++ = {address, shape.slot, shape.size, shape.store, PageMap::granule(frame, address)};
    return true;
  };
  for (;;) {
    for (; done && word != wordEnd; word += done) {
      done = put(word->source.of(coded), word->shape);
      if constexpr (Timed) {
        if (!done) break;
        *times++ = stepTime + *before++;
      }
    }
    for (; done && slot != slotEnd; slot += done, words += done) {
      done = put(*words, shapes[slot]);
      if constexpr (Timed) {
        if (done) *times++ = stepTime;
      }
    }
    if (!done || at >= layout.full || step == layout.stepEnd) break;
    if (isPathStep(*step)) {
      const PlainPath &path = *layout.paths[*step++ & ~PATH_STEP];
      word = path.words.data();
      wordEnd = word + path.words.size();
      coded = words;
      words += path.codedWords;
      if constexpr (Timed) {
        stepTime = time;
        before = path.before.data();
      }
      time += path.instructions;
      segmentCount += path.counts.segments;
      continue;
    }
    if (!isRecordStep(*step)) break;
    const PlainSegment &segment = segments[*step];
    if (segment.slots == NO_INDEX) break;
    step++;
    slot = segment.firstSlot;
    slotEnd = slot + segment.slots;
    if constexpr (Timed) stepTime = time;
    time += segment.instructions;
    segmentCount += segment.segments;
  }
  layout.words = words;
  layout.at = at;
  layout.slot = slot;
  layout.slotEnd = slotEnd;
  layout.word = word;
  layout.wordEnd = wordEnd;
  layout.coded = coded;
  layout.step = step;
  layout.time = time;
  layout.segmentCount = segmentCount;
  layout.times = times;
  layout.stepTime = stepTime;
  layout.before = before;
  return done;
}

/// The same for a lone core: looks up what it lays out, a run of words of one source at once. False at a reference that
/// is odd.
template <bool Timed>
[[gnu::noinline]] bool ReferenceStream::layOutKnown(Layout &layout, Lookups &lookups, SteadyPaths &steady) {
  KnownHits hits(lookups.known);
  Reference *at = layout.at;
  const PlainRun *run = layout.run, *runEnd = layout.runEnd;
  const uint64_t *coded = layout.coded;
  uint64_t *times = layout.times;
  auto put = [&](uint64_t address, SlotShape shape, uint32_t granule, uint32_t instructions)
                 __attribute__((always_inline)) {
                   *at++ = {address, shape.slot, shape.size, shape.store, granule};
                   if constexpr (Timed) *times++ = layout.stepTime + instructions;
                 };
  auto meet = [&](uint64_t address, SlotShape shape, uint32_t instructions) __attribute__((always_inline)) {
    hits.store();
    const uint32_t line = lookups.meet(static_cast<uint32_t>(at - layout.begin), address, shape.reach, shape.store);
    hits.load();
    put(address, shape, KnownHits::granule(line, address), instructions);
    layout.fetch(lookups);
  };
  auto one = [&](uint64_t address, SlotShape shape, uint32_t instructions) __attribute__((always_inline)) {
    if (const auto *way = hits.hit(address, shape.reach, bytesOf(shape.reach), tagBits(shape.store))) [[likely]] {
      put(address, shape, way->granule, instructions);
      return true;
    }
    if (KnownHits::isOdd(address, shape.reach)) return false;
    meet(address, shape, instructions);
    return true;
  };
  // The rest of a run that does not lie in one known line.
  auto rest = [&]() __attribute__((always_inline)) {
    for (; layout.word != layout.wordEnd; layout.word++) {
      if (!one(layout.word->source.of(coded), layout.word->shape, Timed ? *layout.before : 0)) return false;
      if constexpr (Timed) layout.before++;
    }
    return true;
  };
  auto takeRuns = [&]() __attribute__((always_inline)) {
    for (; run != runEnd; run++) {
      const uint64_t address = run->source.of(coded);
      if (const auto *way = hits.hit(address, run->shape.reach, run->bytes, run->tagBits)) [[likely]] {
        put(address, run->shape, way->granule, run->before);
        continue;
      }
      layout.template beginWords<Timed>(*run);
      if (!KnownHits::isOdd(address, run->shape.reach)) {
        meet(layout.word->source.of(coded), layout.word->shape, run->before);
        layout.word++;
        if constexpr (Timed) layout.before++;
      }
      if (!rest()) return false;
    }
    return true;
  };
  auto takeSlots = [&]() __attribute__((always_inline)) {
    for (; layout.slot != layout.slotEnd; layout.slot++, layout.words++)
      if (!one(*layout.words, layout.shapes[layout.slot], 0)) return false;
    return true;
  };
  bool done = true;
  if (run != runEnd) { // it is under way
    done = rest();
    run += done;
    done = done && takeRuns();
  } else {
    done = takeSlots();
  }
  while (done && at < layout.full && layout.step != layout.stepEnd) {
    const uint32_t step = *layout.step;
    if (isPathStep(step)) [[likely]] {
      const PlainPath &plain = *layout.paths[step & ~PATH_STEP];
      layout.path = &plain;
      run = plain.runs.data();
      runEnd = run + plain.runs.size();
      coded = layout.words;
      layout.words += plain.codedWords;
      layout.beginStep(plain.instructions, plain.counts);
      if (plain.luck.pause) {
        plain.luck.pause--;
        done = takeRuns();
        continue;
      }
      uint64_t hash;
      SteadyPaths::Entry &entry = steady.at(plain, coded, hash);
      if (steady.hit(entry, plain, coded, hash, hits)) {
        put(0, {entry.slot, 0, 0, 0}, 0, 0);
        run = runEnd;
        continue;
      }
      done = takeRuns();
      if (done) steady.passed(entry, plain, coded, hash);
      continue;
    }
    if (!isRecordStep(step)) break;
    const PlainSegment &segment = layout.segments[step];
    if (segment.slots == NO_INDEX) break;
    layout.slot = segment.firstSlot;
    layout.slotEnd = layout.slot + segment.slots;
    layout.beginStep(segment.instructions, StepCounts{segment.segments, segment.slots});
    done = takeSlots();
  }
  hits.store();
  layout.at = at;
  layout.run = run;
  layout.runEnd = runEnd;
  layout.coded = coded;
  layout.times = times;
  return done;
}

/// A load, store or atomic of a step that is not plain.
void ReferenceStream::takeKnown(ReferenceBatch &batch, uint32_t slot, uint64_t address) {
  const SlotShape shape = shapes_[slot];
  if (KnownHits::isOdd(address, shape.reach)) return append(batch, slot, address, plans_.slots[slot].size);
  lookUp(batch);
  KnownHits hits(lookups_->known);
  uint32_t granule;
  if (const auto *way = hits.hit(address, shape.reach, bytesOf(shape.reach), tagBits(shape.store))) {
    hits.store();
    granule = way->granule;
  } else {
    granule = KnownHits::granule(lookups_->meet(batch.count, address, shape.reach, shape.store), address);
  }
  if (timed_) batch.times[batch.count] = stepTime_;
  batch.references[batch.count++] = {address, shape.slot, shape.size, shape.store, granule};
  lookedUp_ = batch.count;
}

/// As many plain segments as follow one another.
void ReferenceStream::takePlain(ReferenceBatch &batch) {
  Layout layout{segments_.data(),
                shapes_.data(),
                steps_.paths.data(),
                &pages_,
                lineMask_,
                steps_.steps.data() + step_,
                steps_.steps.data() + steps_.stepCount,
                steps_.words.data() + word_,
                batch.references.data(),
                batch.references.data() + batch.count,
                batch.references.data() + limit_,
                time_};
  if (timed_) layout.times = batch.times.data() + batch.count;
  layout.wordsEnd = steps_.words.data() + steps_.words.size();
  layout.fetched = layout.words;
  if (lookups_) {
    lookUp(batch);
    batch.joined.insert(batch.joined.end(), steps_.joined.begin(), steps_.joined.end());
    steps_.joined.clear();
  }
  uint32_t first = batch.count;
  auto layOutMore = [&] {
    if (lookups_)
      return timed_ ? layOutKnown<true>(layout, *lookups_, *steady_) : layOutKnown<false>(layout, *lookups_, *steady_);
    return timed_ ? layOut<true>(layout) : layOut<false>(layout);
  };
  while (!layOutMore()) {
    const bool inPath = layout.word != layout.wordEnd;
    const uint32_t slot = inPath ? layout.word->shape.slot : layout.slot;
    const uint64_t address = inPath ? layout.word->source.of(layout.coded) : *layout.words;
    if (timed_) {
      stepTime_ = layout.stepTime + (inPath ? *layout.before++ : 0);
      layout.times++;
    }
    batch.count = static_cast<uint32_t>(layout.at++ - batch.references.data());
    lookedUp_ = batch.count;
    append(batch, slot, address, plans_.slots[slot].size);
    if (lookups_) lookUp(batch);
    if (inPath)
      layout.word++;
    else
      layout.slot++, layout.words++;
    layout.full = batch.references.data() + limit_;
  }
  batch.count = static_cast<uint32_t>(layout.at - batch.references.data());
  lookedUp_ = batch.count;
  slotCount_ += lookups_ ? layout.counts.slots : batch.count - first;
  segmentCount_ += lookups_ ? layout.counts.segments : layout.segmentCount;
  time_ = layout.time;
  step_ = static_cast<size_t>(layout.step - steps_.steps.data());
  word_ = static_cast<size_t>(layout.words - steps_.words.data());
}

} // namespace dprof
