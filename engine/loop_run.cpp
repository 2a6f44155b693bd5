// Stage: replay. Runs of loops: each iteration is one row of accesses, so one that stays on its lines changes nothing but counts.
//
// Exact because: once an iteration has been played and all its lines are in the L1 (modified, where they are stored to), the next ones on the same lines
// hit, and leave the lines in the order of recency in which this one left them. They are counted, not played. What no cache tells apart is counted at once
// as well: a stream that stays in one object, and in one field, has one row.
#include "cache_stage.h"
#include "count_stage.h"
#include "reference_stream.h"

namespace dprof {

namespace {

/// A stream on its way through the lines.
struct Walk {
  int32_t offset, stride; // in the page
  uint32_t pageLine;      // the page's first line
  int32_t reach;
  uint32_t leaves; // the first iteration that is not wholly in the line of the one before
  const uint32_t *far;
  bool store;
};

constexpr uint32_t FOR_EVER = NO_INDEX;

/// How many iterations from now on the access, which lies wholly in the line of `offset`, stays there.
inline uint32_t iterationsOnLine(const Walk &walk, int32_t lineMask) {
  int32_t in = walk.offset & lineMask;
  if (walk.stride == 0) return FOR_EVER;
  return static_cast<uint32_t>(walk.stride > 0 ? (lineMask - in - walk.reach) / walk.stride : in / -walk.stride) + 1;
}

} // namespace

// -- caches

void CacheStage::lookUpRun(ReferenceBatch &batch, LoopRun &run) {
  Hierarchy::Core &core = hierarchy.core(0);
  const unsigned granulesShift = granulesShift_, lineShift = granulesShift + PageMap::granuleShift;
  const int32_t lineMask = static_cast<int32_t>(lineMask_);
  LoopStream *const streams = batch.streams.data() + run.firstStream;
  Walk walks[ReferenceStream::MOST_STREAMS];
  Walk *const walksEnd = walks + run.streams;
  bool anyFar = false;
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &of = streams[k];
    anyFar |= of.far;
    walks[k] = {static_cast<int32_t>(of.address & (PageMap::pageBytes - 1)), of.far ? 0 : static_cast<int32_t>(of.stride),
                of.far ? 0 : of.granule >> PageMap::granulesShift << (PageMap::pageShift - lineShift), static_cast<int32_t>(of.size - 1), 0,
                of.far ? batch.pieces.data() + of.granule : nullptr, of.store != 0};
  }
  auto isPlain = [](uint32_t bits) { return (bits & ~outcome::STORE) == outcome::PLAIN; };
  for (uint32_t i = 0; i < run.iterations;) {
    uint32_t leaves = FOR_EVER;
    for (Walk *walk = walks; walk < walksEnd; walk++) {
      uint32_t line = walk->far ? walk->far[i] >> granulesShift : walk->pageLine + static_cast<uint32_t>(walk->offset >> lineShift);
      uint32_t bits = hierarchy.reference<true>(core, line, walk->store, 0, 0);
      if (!walk->far && (walk->offset & lineMask) + walk->reach > lineMask) [[unlikely]] {
        uint32_t second = hierarchy.reference<true>(core, line + 1, walk->store, 0, 0), k = static_cast<uint32_t>(walk - walks);
        if (isPlain(bits) && isPlain(second)) {
          streams[k].splits++;
        } else {
          batch.loopOutcomes.push_back({i, k, bits});
          batch.loopOutcomes.push_back({i, k, second});
        }
        walk->leaves = i + 1;
      } else {
        if (!isPlain(bits)) [[unlikely]] batch.loopOutcomes.push_back({i, static_cast<uint32_t>(walk - walks), bits});
        if (!anyFar && i >= walk->leaves) {
          uint32_t on = iterationsOnLine(*walk, lineMask);
          walk->leaves = on < FOR_EVER - i ? i + on : FOR_EVER;
        }
      }
      leaves = std::min(leaves, walk->leaves);
    }
    uint32_t step = 1;
    if (leaves > i + 1 && !anyFar) {
      bool settled = true;
      for (const Walk *walk = walks; walk < walksEnd; walk++)
        settled = settled && hierarchy.wouldHit(core, walk->pageLine + static_cast<uint32_t>(walk->offset >> lineShift), walk->store);
      if (settled) step = std::min(leaves, run.iterations) - i;
    }
    for (Walk *walk = walks; walk < walksEnd; walk++) walk->offset += static_cast<int32_t>(step) * walk->stride;
    i += step;
  }
  run.outcomesEnd = static_cast<uint32_t>(batch.loopOutcomes.size());
}

// -- rows

void CountStage::countRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome) {
  for (LoopOutcomes &of : outcomesOf_) of.clear();
  if (outcomesOf_.size() < run.streams) outcomesOf_.resize(run.streams);
  for (uint32_t at = firstOutcome; at < run.outcomesEnd; at++) outcomesOf_[batch.loopOutcomes[at].stream].push_back(&batch.loopOutcomes[at]);
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &stream = batch.streams[run.firstStream + k];
    if (!countStream(batch, run, stream, outcomesOf_[k])) countEach(batch, run, stream, outcomesOf_[k]);
  }
}

/// An access over two lines has two outcomes, and costs what the slower one does.
template <typename Count> void CountStage::eachOutcome(const LoopOutcomes &outcomes, Count count) {
  for (size_t i = 0; i < outcomes.size(); i++) {
    uint32_t bits = outcomes[i]->bits;
    if (i + 1 == outcomes.size() || outcomes[i + 1]->iteration != outcomes[i]->iteration) {
      count(outcomes[i]->iteration, bits, nullptr);
      continue;
    }
    uint32_t second = outcomes[++i]->bits;
    uint32_t servers[2] = {outcome::server(bits), outcome::server(second)};
    uint32_t slowest = latencies_[servers[1]] > latencies_[servers[0]] ? servers[1] : servers[0];
    bits = outcome::withLatency(bits, slowest, servers[0] != SERVED_L1 || servers[1] != SERVED_L1);
    second = outcome::withLatency(second, NO_SERVER, false);
    count(outcomes[i]->iteration, bits, &second);
  }
}

/// All of the stream at once, if it lies in one object, or in none, and counts to one row.
bool CountStage::countStream(const ReferenceBatch &batch, const LoopRun &run, const LoopStream &stream, const LoopOutcomes &outcomes) {
  uint64_t behind = stream.address + static_cast<uint64_t>(stream.stride) * (run.iterations - 1);
  uint64_t low = std::min(stream.address, behind), high = std::max(stream.address, behind) + stream.size - 1;
  LiveObject *object;
  if (stream.far) {
    if (!objects.inOne(batch.pieces.data() + stream.granule, run.iterations, low, high, object)) return false;
  } else {
    uint32_t page = stream.granule & ~static_cast<uint32_t>(Objects::GRANULES - 1);
    auto granule = [&](uint64_t address) { return page | static_cast<uint32_t>((address & (PageMap::pageBytes - 1)) >> PageMap::granuleShift); };
    if (!objects.inOne(granule(low), granule(high), low, high, object)) return false;
  }
  SlotRows::State &state = rows_.states()[stream.slot];
  uint64_t seconds = stream.splits;
  for (size_t i = 1; i < outcomes.size(); i++) seconds += outcomes[i]->iteration == outcomes[i - 1]->iteration;
  Target target;
  if (object) {
    if (object->declared && state.fieldOf != object->declared && !isOneLeaf(*object, stream, low, high, seconds)) return false;
    uint32_t leaf = NO_INDEX;
    target = rows_.rowIn(*object, state, stream.slot, stream.address, leaf, run.iterations + seconds);
  }
  uint64_t plain = run.iterations - stream.splits, same = 0;
  uint32_t last = 0;
  auto countSame = [&](uint32_t bits) {
    if (bits != last && same) {
      rows_.count(target, stream.slot, last, same);
      same = 0;
    }
    last = bits;
    same++;
  };
  eachOutcome(outcomes, [&](uint32_t, uint32_t bits, const uint32_t *second) {
    plain--;
    countSame(bits);
    if (second) countSame(*second);
  });
  if (same) rows_.count(target, stream.slot, last, same);
  if (plain + stream.splits) rows_.countPlain(target, stream.slot, state, plain + stream.splits);
  if (stream.splits) rows_.count(target, stream.slot, outcome::withLatency(outcome::PLAIN | uint32_t{stream.store}, NO_SERVER, false), stream.splits);
  totals.continuations += seconds;
  return true;
}

/// Every access of the stream meets the same field of the object's declared type.
bool CountStage::isOneLeaf(const LiveObject &object, const LoopStream &stream, uint64_t low, uint64_t high, uint64_t seconds) const {
  uint32_t type = object.declared;
  if (!input_.types.isStruct[type]) return true;
  uint32_t span = input_.types.leafSpan[type];
  if (span == 0 || input_.types.leafBase[type] == NO_INDEX) return true;
  if (seconds || input_.types.flexibleFrom[type] != NO_INDEX || low - object.start < object.slotOffset) return false;
  return stream.stride % static_cast<int64_t>(span) == 0 || high - low < stream.size;
}

void CountStage::countEach(const ReferenceBatch &batch, const LoopRun &run, const LoopStream &stream, const LoopOutcomes &outcomes) {
  SlotRows::State &state = rows_.states()[stream.slot];
  uint32_t page = stream.granule & ~static_cast<uint32_t>(Objects::GRANULES - 1), next = 0;
  const uint32_t plain = outcome::PLAIN | uint32_t{stream.store};
  auto granuleOf = [&](uint32_t i, uint64_t address) {
    return stream.far ? batch.pieces[stream.granule + i] : page | static_cast<uint32_t>((address & (PageMap::pageBytes - 1)) >> PageMap::granuleShift);
  };
  auto countOne = [&](uint32_t i, uint32_t bits, const uint32_t *second) {
    uint64_t address = stream.address + static_cast<uint64_t>(stream.stride) * i;
    rows_.count(typeOf(state, stream.slot, granuleOf(i, address), address), stream.slot, bits);
    if (!second) return;
    address += lineMask_ + 1 - (address & lineMask_);
    rows_.count(typeOf(state, stream.slot, granuleOf(i, address), address), stream.slot, *second);
    totals.continuations++;
  };
  auto plainTo = [&](uint32_t end) {
    const uint32_t continued = outcome::withLatency(plain, NO_SERVER, false);
    for (; next < end; next++) {
      uint64_t address = stream.address + static_cast<uint64_t>(stream.stride) * next;
      countOne(next, plain, (address & lineMask_) + stream.size - 1 > lineMask_ ? &continued : nullptr);
    }
  };
  eachOutcome(outcomes, [&](uint32_t iteration, uint32_t bits, const uint32_t *second) {
    plainTo(iteration);
    countOne(iteration, bits, second);
    next++;
  });
  plainTo(run.iterations);
}

} // namespace dprof
