// Stage: replay, the second of three. Runs of loops through the caches: each iteration is one row of accesses, so an
// iteration that stays on its lines changes nothing but counts.
//
// Exact because: once an iteration has been played and all its lines are in the L1 (modified, where they are stored
// to), the next ones on the same lines hit, and leave the lines in the order of recency in which this one left them.
// They are counted, not played.
#include "caches/cache_stage.h"

namespace dprof {

namespace {

/// A stream on its way through the lines.
struct Walk {
  uint32_t offset;   // in the page; of a far stream, only its place in the line is right
  int32_t stride;    // of a far stream modulo 2^32
  uint32_t pageLine; // the page's first line
  uint32_t size;
  uint32_t leaves; // the first iteration that is not wholly in the line of the one before
  bool store;
  const uint32_t *far;
};

constexpr uint32_t FOR_EVER = NO_INDEX;

/// How many iterations from now on the access, which lies wholly in the line of `offset`, stays there.
inline uint32_t iterationsOnLine(const Walk &walk, uint32_t lineMask) {
  if (walk.stride == 0) return FOR_EVER;
  const uint32_t in = walk.offset & lineMask,
                 distance = static_cast<uint32_t>(walk.stride < 0 ? -walk.stride : walk.stride);
  if (distance > lineMask) return 1; // no division
  return (walk.stride > 0 ? lineMask + 1 - in - walk.size : in) / distance + 1;
}

} // namespace

void CacheStage::lookUpRun(ReferenceBatch &batch, LoopRun &run) {
  Hierarchy::Core &core = hierarchy.core(0);
  const unsigned granulesShift = granulesShift_, lineShift = granulesShift + PageMap::granuleShift;
  const uint32_t lineMask = lineMask_, lineBytes = lineMask + 1;
  LoopStream *const streams = batch.streams.data() + run.firstStream;
  Walk walks[LoopRun::MOST_STREAMS];
  Walk *const walksEnd = walks + run.streams;
  bool anyFar = false;
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &of = streams[k];
    anyFar |= of.far;
    walks[k] = {static_cast<uint32_t>(of.address & (PageMap::pageBytes - 1)),
                static_cast<int32_t>(of.stride),
                of.far ? 0 : of.granule >> PageMap::granulesShift << (PageMap::pageShift - lineShift),
                of.size,
                0,
                of.store != 0,
                of.far ? batch.pieces.data() + of.granule : nullptr};
  }
  hierarchy.misses = &batch.loopMisses;
  auto take = [&](uint32_t line, bool store, uint32_t first, uint32_t size) {
    uint32_t bits = hierarchy.reference<true>(core, line, store, first, size);
    note(batch, bits, {0, line, first, size});
    return bits;
  };
  auto isPlain = [](uint32_t bits) { return (bits & ~outcome::STORE) == outcome::PLAIN; };
  for (uint32_t i = 0; i < run.iterations;) {
    uint32_t leaves = FOR_EVER;
    for (Walk *walk = walks; walk < walksEnd; walk++) {
      uint32_t line = walk->far ? walk->far[i] >> granulesShift : walk->pageLine + (walk->offset >> lineShift);
      uint32_t first = walk->offset & lineMask, size = walk->size,
               bits = take(line, walk->store, first, std::min(size, lineBytes - first));
      if (first + size > lineBytes) [[unlikely]] { // never of a far stream
        uint32_t second = take(line + 1, walk->store, 0, first + size - lineBytes),
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
          uint32_t on = iterationsOnLine(*walk, lineMask);
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
        settled = settled && hierarchy.isInL1(core, walk->pageLine + (walk->offset >> lineShift));
      if (settled) step = std::min(leaves, run.iterations) - i;
    }
    if (step > 1)
      for (const Walk *walk = walks; walk < walksEnd; walk++)
        useOn(walk->pageLine + (walk->offset >> lineShift), walk->offset & lineMask, walk->size, walk->stride, step);
    for (Walk *walk = walks; walk < walksEnd; walk++) walk->offset += step * static_cast<uint32_t>(walk->stride);
    i += step;
  }
  run.outcomesEnd = static_cast<uint32_t>(batch.loopOutcomes.size());
  hierarchy.misses = &batch.misses;
}

/// Bytes [first, first + size) of the line, and those of the next iterations, which stay in it.
void CacheStage::useOn(uint32_t line, uint32_t first, uint32_t size, int32_t stride, uint32_t iterations) {
  if (stride == 0) return; // the first has used them
  uint32_t distance = static_cast<uint32_t>(stride < 0 ? -stride : stride), reach = distance * (iterations - 1);
  uint32_t begin = stride < 0 ? first - reach : first;
  auto use = [&](uint32_t from, uint32_t length) {
    if (hasWideLines_)
      lineUse_.use(0, line, from, length);
    else
      hierarchy.core(0).lines[line].use(from, length);
  };
  if (distance <= size) return use(begin, reach + size);
  for (uint32_t at = 0; at <= reach; at += distance) use(begin + at, size);
}

} // namespace dprof
