// Stage: replay, the last of three. The counting on one plain core: long runs of plain hits are counted in a loop of
// their own. No object depends on a cache, so it does not matter that the whole batch was looked up before.
#include "counting/count_stage.h"

namespace dprof {

/// The next outcome is the reference's. `bits`: the part of it that is to be counted.
template <bool WithFlow>
[[gnu::always_inline]] inline void CountStage::countMet(const ReferenceBatch &batch, Met &met, SlotRows::State *states,
                                                        const Reference &reference, uint32_t size, uint32_t bits) {
  const uint32_t slot = reference.slot;
  const uint64_t time = WithFlow ? batch.times[met.outcome->reference] : 0;
  if (met.outcome == met.fetchesFrom) fetchAhead<WithFlow>(batch, met, 0);
  met.outcome++;
  SlotRows::State &state = states[slot];
  LiveObject *const object = objects.lookUp(reference.granule, reference.address);
  Target target;
  if (object) [[likely]] {
    uint32_t leaf = NO_INDEX;
    target = rows_.rowIn<false>(*object, state, 0, slot, reference.address, leaf);
    if constexpr (WithFlow)
      flow->met(*object, state.stepKey, reference.granule >> granulesShift_, reference.address, size, bits, time);
  } else {
    totals.outsideLife += objects.wasFreed(reference.granule, reference.address);
  }
  if (outcome::missClass(bits, 0) != HIT) [[likely]]
    follow<WithFlow>(batch, *met.miss++, 0, 0, bits, causeOf(slot, object, time));
  if (object) [[likely]] {
    countMiss(*object, bits);
    object->flags |= state.loaded;
  }
  rows_.count(target, 0, slot, bits);
}

template <bool WithFlow> void CountStage::countOnOneCore(const ReferenceBatch &batch) {
  const Reference *const references = batch.references.data();
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  Met met{batch.outcomes.data(), batch.misses.data(), nullptr};
  SlotRows::State *const states = rows_.states(0);
  uint32_t at = 0, oddAt = odd < oddEnd ? odd->reference : NO_INDEX;
  auto countTo = [&](uint32_t end) {
    for (;;) {
      const uint32_t stop = std::min(end, std::min(oddAt, met.outcome->reference));
      if (at < stop) countHits<WithFlow>(batch, at, stop);
      at = stop;
      if (at == end) return;
      if (at == oddAt) [[unlikely]] {
        countOdd<WithFlow>(batch, *odd++, met);
        oddAt = odd < oddEnd ? odd->reference : NO_INDEX;
      } else {
        const Reference &next = references[at];
        countMet<WithFlow>(batch, met, states, next, WithFlow ? sizeOf(next) : 0, met.outcome->bits);
      }
      at++;
    }
  };
  const Change *next = batch.changes.data();
  auto changesTo = [&](size_t end) {
    for (; next < batch.changes.data() + end; next++) {
      countTo(next->before);
      lookTo(batch, next->before);
      change(batch, *next);
    }
  };
  uint32_t outcomes = 0;
  const LineMiss *misses = batch.loopMisses.data();
  for (const LoopRun &run : batch.runs) {
    changesTo(run.changesBefore);
    countTo(run.before);
    countRun(batch, run, outcomes, misses);
    outcomes = run.outcomesEnd;
  }
  changesTo(batch.changes.size());
  countTo(batch.count);
  lookTo(batch, batch.count);
}

template void CountStage::countOnOneCore<false>(const ReferenceBatch &);
template void CountStage::countOnOneCore<true>(const ReferenceBatch &);

template <bool WithFlow> void CountStage::countHits(const ReferenceBatch &batch, uint32_t begin, uint32_t end) {
  HitMemo *const memos = memos_->data();
  const Reference *const references = batch.references.data();
  const uint32_t *const objectOf = WithFlow ? flow->lines.lastObjects() : nullptr;
  for (const Reference *at = references + begin, *last = references + end; at < last; at++) {
    HitMemo &memo = memos[at->slot];
    if (memo.holds(at->address) &&
        (!WithFlow || !memo.ofLines || memo.ofLines == objectOf[at->granule >> granulesShift_])) [[likely]]
      memo.hits++;
    else
      countOtherHit<WithFlow>(batch, *at, memo);
  }
}

/// A plain hit of which the slot's memo does not know where it counts.
template <bool WithFlow>
[[gnu::noinline]] void CountStage::countOtherHit(const ReferenceBatch &batch, const Reference &reference,
                                                 HitMemo &memo) {
  const uint32_t slot = reference.slot, size = WithFlow ? sizeOf(reference) : 0;
  SlotRows::State &state = rows_.states(0)[slot];
  const Target target = typeOf(state, slot, reference.granule, reference.address);
  rows_.countPlain(target, 0, slot, state);
  if (!target.object) return;
  LiveObject &object = *target.object;
  object.flags |= state.loaded;
  if constexpr (WithFlow)
    flow->hit(object, state.stepKey, reference.granule >> granulesShift_, reference.address, size,
              batch.times[&reference - batch.references.data()]);
  // Many slots never meet an object again: only one that is met twice makes a memo.
  const uint32_t number = objects.numberOf(object);
  if (memo.met == number) memos_->remember(slot, object, reference.address, size);
  memo.met = number;
}

template <bool WithFlow> void CountStage::countOdd(const ReferenceBatch &batch, const OddAccess &access, Met &met) {
  AccessLatency latency = latencyOf(met.outcome, access.pieces);
  Reference reference = batch.references[access.reference];
  uint32_t left = WithFlow ? sizeOf(reference) : 0;
  for (uint32_t piece = 0; piece < access.pieces; piece++) {
    reference.granule = batch.pieces[access.firstPiece + piece];
    const uint32_t toLine = lineMask_ + 1 - (static_cast<uint32_t>(reference.address) & lineMask_),
                   size = std::min(left, toLine);
    countMet<WithFlow>(batch, met, rows_.states(0), reference, size, latency.bitsOf(piece, met.outcome->bits));
    totals.continuations += piece != 0;
    reference.address += toLine;
    left -= size;
  }
}

} // namespace dprof
