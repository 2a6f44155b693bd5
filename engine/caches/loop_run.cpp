// Stage: replay. Runs of loops through the caches: each iteration is one row of accesses, so an iteration that stays on
// its lines changes nothing but counts.
//
// Exact because: once an iteration has been played and all its lines are in the L1 (modified, where they are stored
// to), the next ones on the same lines hit, and leave the lines in the order of recency in which this one left them.
// They are counted, not played.
#include "caches/lone_lookups.h"

namespace dprof {

namespace {

/// A stream on its way through the lines.
struct Walk {
  uint64_t address, stride;
  uint32_t size;
  uint32_t leaves; // the first iteration that is not wholly in the line of the one before
  bool store;
  uint32_t *far; // of a far stream: the granules of its accesses
  KnownLines::Way *way;
};

constexpr uint32_t FOR_EVER = NO_INDEX;

/// How many iterations from now on the access, which lies wholly in its line, stays there.
inline uint32_t iterationsOnLine(const Walk &walk, uint32_t lineMask) {
  if (walk.stride == 0) return FOR_EVER;
  const bool isDown = static_cast<int64_t>(walk.stride) < 0;
  const uint64_t distance = isDown ? 0 - walk.stride : walk.stride;
  if (distance > lineMask) return 1; // no division
  const uint32_t in = static_cast<uint32_t>(walk.address) & lineMask;
  return (isDown ? in : lineMask + 1 - in - walk.size) / static_cast<uint32_t>(distance) + 1;
}

} // namespace

template <bool WideLines> void LoneLookups::lookUpRun(ReferenceBatch &batch, LoopRun &run) {
  const uint32_t lineMask = lineMask_, lineBytes = lineMask + 1;
  LoopStream *const streams = batch.streams.data() + run.firstStream;
  Walk walks[LoopRun::MOST_STREAMS];
  Walk *const walksEnd = walks + run.streams;
  bool anyFar = false;
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &of = streams[k];
    anyFar |= of.far;
    walks[k] = {of.address,    static_cast<uint64_t>(of.stride),
                of.size,       0,
                of.store != 0, of.far ? batch.pieces.data() + of.granule : nullptr,
                nullptr};
  }
  auto takeOne = [&](Walk &walk, uint64_t address, uint32_t size) {
    return take<WideLines>(batch, batch.loopMisses, address, walk.store, size, walk.way);
  };
  for (uint32_t i = 0; i < run.iterations;) {
    uint32_t leaves = FOR_EVER;
    for (Walk *walk = walks; walk < walksEnd; walk++) {
      const uint32_t first = static_cast<uint32_t>(walk->address) & lineMask, size = walk->size,
                     bits = takeOne(*walk, walk->address, std::min(size, lineBytes - first));
      if (walk->far)
        walk->far[i] = granuleIn(*walk->way, walk->address);
      else if (i == 0)
        streams[walk - walks].granule = granuleIn(*walk->way, walk->address);
      if (first + size > lineBytes) [[unlikely]] { // never of a far stream
        const uint32_t second = takeOne(*walk, walk->address + (lineBytes - first), first + size - lineBytes),
                       k = static_cast<uint32_t>(walk - walks);
        if (isPlain(bits) && isPlain(second)) {
          streams[k].splits++;
        } else {
          batch.loopOutcomes.push_back({i, k, bits});
          batch.loopOutcomes.push_back({i, k, second});
        }
        walk->leaves = i + 1;
      } else {
        if (!isPlain(bits)) [[unlikely]]
          batch.loopOutcomes.push_back({i, static_cast<uint32_t>(walk - walks), bits});
        if (!anyFar && i >= walk->leaves) {
          const uint32_t on = iterationsOnLine(*walk, lineMask);
          walk->leaves = on < FOR_EVER - i ? i + on : FOR_EVER;
        }
      }
      leaves = std::min(leaves, walk->leaves);
    }
    uint32_t step = 1;
    if (leaves > i + 1 && !anyFar) {
      // A line that this iteration stored to is modified: if it had left L1 since, one of the lines would be missing.
      bool settled = true;
      for (const Walk *walk = walks; walk < walksEnd; walk++)
        settled = settled && walk->way->holds(walk->address >> lineShift_);
      if (settled) step = std::min(leaves, run.iterations) - i;
    }
    for (Walk *walk = walks; walk < walksEnd; walk++) {
      if (step > 1 && walk->stride)
        useOn<WideLines>(*walk->way, static_cast<uint32_t>(walk->address) & lineMask, walk->size,
                         static_cast<int32_t>(walk->stride), step);
      walk->address += step * walk->stride;
    }
    i += step;
  }
  run.outcomesEnd = static_cast<uint32_t>(batch.loopOutcomes.size());
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
