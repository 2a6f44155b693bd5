// Stage: replay, the last of three. Counts runs of loops: a stream of accesses that stays in one object, and in one
// field, counts in one row, so it is counted at once. Only counts that depend on order are followed access by access.
#include "counting/loop_streams.h"

namespace dprof {

void CountStage::countRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome,
                          const LineMiss *&misses) {
  if (streams_.size() < run.streams) streams_.resize(run.streams);
  for (uint32_t k = 0; k < run.streams; k++) {
    StreamState &of = streams_[k];
    of.outcomes.clear();
    of.sums.clear();
    of.inOne = isInOne(batch, run, batch.streams[run.firstStream + k], of.object);
    of.loaded = of.passed = of.splits = 0;
  }
  if (!(flow ? followSums<true>(batch, run, firstOutcome, misses)
             : followSums<false>(batch, run, firstOutcome, misses))) {
    for (uint32_t at = firstOutcome; at < run.outcomesEnd; at++)
      streams_[batch.loopOutcomes[at].stream].outcomes.push_back(&batch.loopOutcomes[at]);
    flow ? followRun<true>(batch, run, firstOutcome, misses) : followRun<false>(batch, run, firstOutcome, misses);
  }
  if (flow) passRun(batch, run);
  for (uint32_t k = 0; k < run.streams; k++) {
    const LoopStream &stream = batch.streams[run.firstStream + k];
    if (!countStream(run, stream, streams_[k])) countEach(batch, run, stream, streams_[k]);
  }
}

/// Follows the counts that depend on order: lines that came and went, and misses of objects between loads.
template <bool WithFlow>
void CountStage::followRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome,
                           const LineMiss *&misses) {
  for (uint32_t at = firstOutcome; at < run.outcomesEnd; at++) {
    const LoopOutcome &outcome = batch.loopOutcomes[at];
    const LoopStream &stream = batch.streams[run.firstStream + outcome.stream];
    const StreamState &of = streams_[outcome.stream];
    LiveObject *object = of.object;
    auto isOfOneAccess = [&](const LoopOutcome &other) {
      return other.iteration == outcome.iteration && other.stream == outcome.stream;
    };
    const bool isSecond = at > firstOutcome && isOfOneAccess((&outcome)[-1]),
               isFirst = at + 1 < run.outcomesEnd && isOfOneAccess((&outcome)[1]);
    if (!of.inOne) {
      uint64_t address = addressIn(stream, outcome.iteration);
      if (isSecond) address += lineMask_ + 1 - (address & lineMask_);
      object = objects.lookUp(StreamPlace(batch, stream).granule(outcome.iteration, address), address);
    }
    if (outcome::missClass(outcome.bits, 0) != HIT)
      follow<WithFlow>(*misses++, 0, 0, outcome.bits,
                       causeOf(stream.slot, object, timeIn(run, stream, outcome.iteration)));
    if (!object) continue;
    if (stream.store) passLoads(batch, run, outcome.iteration, outcome.stream);
    countMiss(*object, isFirst    ? firstBits(outcome.bits, (&outcome)[1].bits)
                       : isSecond ? outcome::withLatency(outcome.bits, NO_SERVER, false)
                                  : outcome.bits);
  }
}

/// Tells objects of the loads before an access of the stream. After all misses the counting tells them of the remaining
/// loads.
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
  SlotRows::State &state = rows_.states(0)[stream.slot];
  const uint64_t seconds = stream.splits + secondsOf(outcomes);
  Target target;
  if (object) {
    if (!isOneRow(run, stream, *object, seconds)) return false;
    uint32_t leaf = NO_INDEX;
    if (of.loaded < run.iterations) object->flags |= state.loaded;
    target = rows_.rowIn(*object, state, 0, stream.slot, stream.address, leaf, run.iterations + seconds);
  }
  // An access over two lines that has outcomes has two.
  uint64_t plain = run.iterations - of.sums.total() - outcomes.size() + (seconds - stream.splits);
  of.sums.each([&](uint32_t bits, uint64_t times) { rows_.count(target, 0, stream.slot, bits, times); });
  eachSame(outcomes, [&](uint32_t bits, uint64_t times) { rows_.count(target, 0, stream.slot, bits, times); });
  if (plain) rows_.countPlain(target, 0, stream.slot, state, plain);
  if (stream.splits)
    rows_.count(target, 0, stream.slot, outcome::withLatency(outcome::PLAIN | uint32_t{stream.store}, NO_SERVER, false),
                stream.splits);
  totals.continuations += seconds;
  return true;
}

/// All accesses of the stream, which lies in the object, count to one row.
bool CountStage::isOneRow(const LoopRun &run, const LoopStream &stream, const LiveObject &object, uint64_t seconds) {
  if (object.flags & OBJECT_HOLDS_MORE) return false;
  if (!object.declared || rows_.states(0)[stream.slot].fieldOf == object.declared) return true;
  auto [low, high] = boundsOf(stream, 0, run.iterations);
  return isOneLeaf(object, stream, low, high, seconds);
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
