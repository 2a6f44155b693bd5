// Stage: replay. Runs of loops: each iteration is one row of accesses, so one that stays on its lines changes nothing
// but counts.
//
// Exact because: once an iteration has been played and all its lines are in the L1 (modified, where they are stored
// to), the next ones on the same lines hit, and leave the lines in the order of recency in which this one left them.
// They are counted, not played. What no cache tells apart is counted at once as well: a stream that stays in one
// object, and in one field, has one row.
#include "caches/cache_stage.h"
#include "counting/loop_streams.h"
#include "layout/reference_stream.h"

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
  const LoopStream *stream;
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
    walks[k] = {static_cast<int32_t>(of.address & (PageMap::pageBytes - 1)),
                of.far ? 0 : static_cast<int32_t>(of.stride),
                of.far ? 0 : of.granule >> PageMap::granulesShift << (PageMap::pageShift - lineShift),
                static_cast<int32_t>(of.size - 1),
                0,
                of.far ? batch.pieces.data() + of.granule : nullptr,
                of.store != 0,
                &of};
  }
  const uint32_t lineBytes = lineMask_ + 1;
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
      uint32_t line =
          walk->far ? walk->far[i] >> granulesShift : walk->pageLine + static_cast<uint32_t>(walk->offset >> lineShift);
      uint32_t first =
          static_cast<uint32_t>(walk->far ? walk->stream->address + static_cast<uint64_t>(walk->stream->stride) * i
                                          : static_cast<uint64_t>(walk->offset)) &
          lineMask_;
      uint32_t size = walk->stream->size, bits = take(line, walk->store, first, std::min(size, lineBytes - first));
      if (!walk->far && (walk->offset & lineMask) + walk->reach > lineMask) [[unlikely]] {
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
      bool settled = true;
      for (const Walk *walk = walks; walk < walksEnd; walk++)
        settled = settled && hierarchy.wouldHit(core, walk->pageLine + static_cast<uint32_t>(walk->offset >> lineShift),
                                                walk->store);
      if (settled) step = std::min(leaves, run.iterations) - i;
    }
    if (step > 1)
      for (const Walk *walk = walks; walk < walksEnd; walk++)
        useOn(walk->pageLine + static_cast<uint32_t>(walk->offset >> lineShift),
              static_cast<uint32_t>(walk->offset & lineMask), walk->stream->size, walk->stride, step);
    for (Walk *walk = walks; walk < walksEnd; walk++) walk->offset += static_cast<int32_t>(step) * walk->stride;
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

// -- rows

void CountStage::countRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome,
                          const LineMiss *&misses) {
  if (streams_.size() < run.streams) streams_.resize(run.streams);
  for (uint32_t k = 0; k < run.streams; k++) {
    StreamState &of = streams_[k];
    of.outcomes.clear();
    of.inOne = isInOne(batch, run, batch.streams[run.firstStream + k], of.object);
    of.loaded = of.passed = of.splits = 0;
  }
  for (uint32_t at = firstOutcome; at < run.outcomesEnd; at++)
    streams_[batch.loopOutcomes[at].stream].outcomes.push_back(&batch.loopOutcomes[at]);
  if (flow) {
    followRun<true>(batch, run, firstOutcome, misses);
    passRun(batch, run);
  } else {
    followRun<false>(batch, run, firstOutcome, misses);
  }
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &stream = batch.streams[run.firstStream + k];
    if (!countStream(run, stream, streams_[k])) countEach(batch, run, stream, streams_[k]);
  }
}

/// What depends on order: lines that came and went, and misses of objects between loads.
template <bool WithFlow>
void CountStage::followRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome,
                           const LineMiss *&misses) {
  for (uint32_t at = firstOutcome; at < run.outcomesEnd; at++) {
    const LoopOutcome &outcome = batch.loopOutcomes[at];
    const LoopStream &stream = batch.streams[run.firstStream + outcome.stream];
    const StreamState &of = streams_[outcome.stream];
    LiveObject *object = of.object;
    if (!of.inOne) {
      uint64_t address = addressIn(stream, outcome.iteration);
      bool isSecond =
          at > firstOutcome && (&outcome)[-1].iteration == outcome.iteration && (&outcome)[-1].stream == outcome.stream;
      if (isSecond) address += lineMask_ + 1 - (address & lineMask_);
      object = objects.lookUp(StreamPlace(batch, stream).granule(outcome.iteration, address), address);
    }
    if (outcome::missClass(outcome.bits, 0) != HIT)
      follow<WithFlow>(batch, batch.loopMisses, misses++, 0, outcome.bits,
                       causeOf(stream.slot, object, timeIn(run, stream, outcome.iteration)));
    if (!object) continue;
    if (stream.store) passLoads(batch, run, outcome.iteration, outcome.stream);
    countMiss(*object, outcome.bits);
  }
}

/// Objects are told of the loads before an access of the stream; of those after all misses the counting tells them.
void CountStage::passLoads(const ReferenceBatch &batch, const LoopRun &run, uint32_t iteration, uint32_t stream) {
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &loads = batch.streams[run.firstStream + k];
    StreamState &of = streams_[k];
    uint32_t end = iteration + (k < stream);
    if (loads.store || of.loaded >= end) continue;
    if (of.inOne) {
      if (of.object) of.object->flags |= OBJECT_LOADED;
    } else {
      StreamPlace place(batch, loads);
      auto load = [&](uint32_t i, uint64_t address) {
        if (LiveObject *object = objects.lookUp(place.granule(i, address), address)) object->flags |= OBJECT_LOADED;
      };
      for (uint32_t i = of.loaded; i < end; i++) {
        uint64_t address = addressIn(loads, i), second = address + (lineMask_ + 1 - (address & lineMask_));
        load(i, address);
        if (second - address < loads.size) load(i, second);
      }
    }
    of.loaded = end;
  }
}

bool CountStage::isInOne(const ReferenceBatch &batch, const LoopRun &run, const LoopStream &stream,
                         LiveObject *&object) {
  auto [low, high] = boundsOf(stream, 0, run.iterations);
  if (stream.far) return objects.inOne(batch.pieces.data() + stream.granule, run.iterations, low, high, object);
  StreamPlace place(batch, stream);
  return objects.inOne(place.granule(0, low), place.granule(0, high), low, high, object);
}

/// All of the stream at once, if it lies in one object, or in none, and counts to one row.
bool CountStage::countStream(const LoopRun &run, const LoopStream &stream, const StreamState &of) {
  if (!of.inOne) return false;
  const LoopOutcomes &outcomes = of.outcomes;
  LiveObject *const object = of.object;
  auto [low, high] = boundsOf(stream, 0, run.iterations);
  SlotRows::State &state = rows_.states(0)[stream.slot];
  uint64_t seconds = stream.splits;
  for (size_t i = 1; i < outcomes.size(); i++) seconds += outcomes[i]->iteration == outcomes[i - 1]->iteration;
  Target target;
  if (object) {
    if (object->declared && state.fieldOf != object->declared && !isOneLeaf(*object, stream, low, high, seconds))
      return false;
    uint32_t leaf = NO_INDEX;
    if (of.loaded < run.iterations) object->flags |= state.loaded;
    target = rows_.rowIn(*object, state, 0, stream.slot, stream.address, leaf, run.iterations + seconds);
  }
  uint64_t plain = run.iterations - stream.splits, same = 0;
  uint32_t last = 0;
  auto countSame = [&](uint32_t bits) {
    if (bits != last && same) {
      rows_.count(target, 0, stream.slot, last, same);
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
  if (same) rows_.count(target, 0, stream.slot, last, same);
  if (plain + stream.splits) rows_.countPlain(target, 0, stream.slot, state, plain + stream.splits);
  if (stream.splits)
    rows_.count(target, 0, stream.slot, outcome::withLatency(outcome::PLAIN | uint32_t{stream.store}, NO_SERVER, false),
                stream.splits);
  totals.continuations += seconds;
  return true;
}

/// Every access of the stream meets the same field of the object's declared type.
bool CountStage::isOneLeaf(const LiveObject &object, const LoopStream &stream, uint64_t low, uint64_t high,
                           uint64_t seconds) const {
  uint32_t type = object.declared;
  if (!input_.types.isStruct[type]) return true;
  uint32_t span = input_.types.leafSpan[type];
  if (span == 0 || input_.types.leafBase[type] == NO_INDEX) return true;
  if (seconds || input_.types.flexibleFrom[type] != NO_INDEX || low - object.start < object.slotOffset) return false;
  return stream.stride % static_cast<int64_t>(span) == 0 || high - low < stream.size;
}

void CountStage::countEach(const ReferenceBatch &batch, const LoopRun &run, const LoopStream &stream,
                           const StreamState &of) {
  SlotRows::State &state = rows_.states(0)[stream.slot];
  const StreamPlace place(batch, stream);
  uint32_t next = 0;
  const uint32_t plain = outcome::PLAIN | uint32_t{stream.store};
  auto countPiece = [&](uint32_t i, uint64_t address, uint32_t bits) {
    Target target = typeOf(state, stream.slot, place.granule(i, address), address);
    if (target.object && i >= of.loaded) target.object->flags |= state.loaded;
    rows_.count(target, 0, stream.slot, bits);
  };
  auto countOne = [&](uint32_t i, uint32_t bits, const uint32_t *second) {
    uint64_t address = addressIn(stream, i);
    countPiece(i, address, bits);
    if (!second) return;
    countPiece(i, address + (lineMask_ + 1 - (address & lineMask_)), *second);
    totals.continuations++;
  };
  auto plainTo = [&](uint32_t end) {
    const uint32_t continued = outcome::withLatency(plain, NO_SERVER, false);
    for (; next < end; next++) {
      uint64_t address = addressIn(stream, next);
      countOne(next, plain, (address & lineMask_) + stream.size - 1 > lineMask_ ? &continued : nullptr);
    }
  };
  eachOutcome(of.outcomes, [&](uint32_t iteration, uint32_t bits, const uint32_t *second) {
    plainTo(iteration);
    countOne(iteration, bits, second);
    next++;
  });
  plainTo(run.iterations);
}

} // namespace dprof
