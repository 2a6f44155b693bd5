// Stage: replay. Runs of loops through the caches: each iteration is one row of accesses, so an iteration that stays on
// its lines changes nothing but counts.
//
// Exact because: once an iteration has been played and all its lines are in the L1 (modified, where they are stored
// to), the next ones on the same lines hit, and leave the lines in the order of recency in which this one left them.
// They are counted, not played.
#include "caches/lone_lookups.h"
#include "caches/lone_misses.h"

namespace dprof {

/// A stream on its way through the lines.
struct LoneLookups::Walk {
  uint64_t address, stride;
  uint64_t bytes; // the first `size` of a line of up to 64 bytes
  uint64_t tagBits;
  uint32_t size, last; // last: the furthest in its line from which an access does not leave the line
  uint32_t leaves;     // the first iteration that is not wholly in the line of the one before
  bool store;
  uint32_t *far; // of a far stream: the granules of its accesses
  KnownLines::Way *way;
};

constexpr uint32_t FOR_EVER = NO_INDEX;

/// How many iterations from now on the access, which lies wholly in its line, stays there.
inline uint32_t LoneLookups::iterationsOnLine(const Walk &walk, uint32_t lineMask) {
  if (walk.stride == 0) return FOR_EVER;
  const bool isDown = static_cast<int64_t>(walk.stride) < 0;
  const uint64_t distance = isDown ? 0 - walk.stride : walk.stride;
  if (distance > lineMask) return 1; // no division
  const uint32_t in = static_cast<uint32_t>(walk.address) & lineMask;
  return (isDown ? in : lineMask + 1 - in - walk.size) / static_cast<uint32_t>(distance) + 1;
}

template <bool WideLines> void LoneLookups::lookUpRun(ReferenceBatch &batch, LoopRun &run) {
  LoopStream *const streams = batch.streams.data() + run.firstStream;
  Walk walks[LoopRun::MOST_STREAMS];
  bool anyFar = false;
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &of = streams[k];
    anyFar |= of.far;
    walks[k] = {of.address,
                static_cast<uint64_t>(of.stride),
                bytesOf(of.size - 1),
                tagBits(of.store),
                of.size,
                lineMask_ + 1 - of.size,
                0,
                of.store != 0,
                of.far ? batch.pieces.data() + of.granule : nullptr,
                nullptr};
  }
  if (!anyFar)
    walkNear<WideLines>(batch, run, walks);
  else if (core_.isUsual)
    walkFarUsual(batch, run, walks);
  else
    walkFar<WideLines, false>(batch, run, walks);
  run.outcomesEnd = static_cast<uint32_t>(batch.loopOutcomes.size());
}

/// An access of the loop. Returns where its line is then; null, with the second line in `walk`, if it lies in two.
template <bool WideLines, bool Usual>
[[gnu::always_inline]] inline KnownLines::Way *LoneLookups::walkOn(ReferenceBatch &batch, LoopRun &run,
                                                                   uint32_t iteration, uint32_t stream, Walk &walk) {
  const uint64_t address = walk.address;
  const uint32_t first = static_cast<uint32_t>(address) & (Usual ? KnownHits::LINE_MASK : lineMask_);
  if (first > walk.last) [[unlikely]] {
    walkOver<WideLines>(batch, run, iteration, stream, walk);
    return nullptr;
  }
  KnownLines::Way *way;
  if constexpr (WideLines) {
    const uint32_t bits = take<true>(batch, batch.loopMisses, address, walk.store, walk.size, way);
    if (!isPlain(bits)) batch.loopOutcomes.push_back({iteration, stream, bits});
  } else {
    const uint64_t line = address >> (Usual ? KnownHits::LINE_SHIFT : lineShift_);
    way = core_.hit(line, walk.tagBits);
    if (!way) {
      const LoneCore::Found found = Usual ? core_.findHere<true>(line, walk.store, batch.loopMisses)
                                          : core_.find(line, walk.store, batch.loopMisses);
      const uint32_t bits = static_cast<uint32_t>(found.bits);
      way = found.way;
      if (!isPlain(bits)) [[likely]]
        batch.loopOutcomes.push_back({iteration, stream, bits});
    }
    way->used |= walk.bytes << first;
  }
  return way;
}

/// An access over two lines. It is never of a far stream.
template <bool WideLines>
[[gnu::noinline]] void LoneLookups::walkOver(ReferenceBatch &batch, LoopRun &run, uint32_t iteration, uint32_t stream,
                                             Walk &walk) {
  const uint32_t toLine = lineMask_ + 1 - (static_cast<uint32_t>(walk.address) & lineMask_);
  auto takePart = [&](uint64_t address, uint32_t size) {
    return take<WideLines>(batch, batch.loopMisses, address, walk.store, size, walk.way);
  };
  const uint32_t bits = takePart(walk.address, toLine);
  if (iteration == 0) batch.streams[run.firstStream + stream].granule = granuleIn(*walk.way, walk.address);
  const uint32_t second = takePart(walk.address + toLine, walk.size - toLine);
  if (isPlain(bits) && isPlain(second)) {
    batch.streams[run.firstStream + stream].splits++;
  } else {
    batch.loopOutcomes.push_back({iteration, stream, bits});
    batch.loopOutcomes.push_back({iteration, stream, second});
  }
}

/// A far stream leaves its line with each iteration, so all of them are played.
template <bool WideLines, bool Usual>
[[gnu::always_inline]] inline void LoneLookups::walkFar(ReferenceBatch &batch, LoopRun &run, Walk *walks) {
  LoopStream *const streams = batch.streams.data() + run.firstStream;
  const uint32_t count = run.streams, iterations = run.iterations;
  for (uint32_t i = 0; i < iterations; i++)
    for (uint32_t k = 0; k < count; k++) {
      Walk &walk = walks[k];
      if (const KnownLines::Way *way = walkOn<WideLines, Usual>(batch, run, i, k, walk)) {
        if (walk.far)
          walk.far[i] = Usual ? KnownHits::granule(way->granule, walk.address) : granuleIn(*way, walk.address);
        else if (i == 0) [[unlikely]]
          streams[k].granule = granuleIn(*way, walk.address);
      }
      walk.address += walk.stride;
    }
}

DPROF_WIDE void LoneLookups::walkFarUsual(ReferenceBatch &batch, LoopRun &run, Walk *walks) {
  walkFar<false, true>(batch, run, walks);
}

template <bool WideLines> void LoneLookups::walkNear(ReferenceBatch &batch, LoopRun &run, Walk *walks) {
  LoopStream *const streams = batch.streams.data() + run.firstStream;
  Walk *const walksEnd = walks + run.streams;
  for (uint32_t i = 0; i < run.iterations;) {
    uint32_t leaves = FOR_EVER;
    for (Walk *walk = walks; walk < walksEnd; walk++) {
      const uint32_t k = static_cast<uint32_t>(walk - walks);
      if (KnownLines::Way *way = walkOn<WideLines, false>(batch, run, i, k, *walk)) {
        walk->way = way;
        if (i == 0) streams[k].granule = granuleIn(*way, walk->address);
        if (i >= walk->leaves) {
          const uint32_t on = iterationsOnLine(*walk, lineMask_);
          walk->leaves = on < FOR_EVER - i ? i + on : FOR_EVER;
        }
      } else {
        walk->leaves = i + 1;
      }
      leaves = std::min(leaves, walk->leaves);
    }
    uint32_t step = 1;
    if (leaves > i + 1) {
      // A line that this iteration stored to is modified: if it had left L1 since, one of the lines would be missing.
      bool settled = true;
      for (const Walk *walk = walks; walk < walksEnd; walk++)
        settled = settled && walk->way->holds(walk->address >> lineShift_);
      if (settled) step = std::min(leaves, run.iterations) - i;
    }
    for (Walk *walk = walks; walk < walksEnd; walk++) {
      if (step > 1 && walk->stride)
        useOn<WideLines>(*walk->way, static_cast<uint32_t>(walk->address) & lineMask_, walk->size,
                         static_cast<int32_t>(walk->stride), step);
      walk->address += step * walk->stride;
    }
    i += step;
  }
}

/// Bytes [first, first + size) of the line, and those of the next iterations, which stay in it.
template <bool WideLines>
void LoneLookups::useOn(KnownLines::Way &way, uint32_t first, uint32_t size, int32_t stride, uint32_t iterations) {
  const uint32_t distance = static_cast<uint32_t>(stride < 0 ? -stride : stride), reach = distance * (iterations - 1),
                 begin = stride < 0 ? first - reach : first;
  if (distance <= size) return use<WideLines>(way, begin, reach + size);
  for (uint32_t at = 0; at <= reach; at += distance) use<WideLines>(way, begin + at, size);
}

template void LoneLookups::lookUpRun<false>(ReferenceBatch &, LoopRun &);
template void LoneLookups::lookUpRun<true>(ReferenceBatch &, LoopRun &);

} // namespace dprof
