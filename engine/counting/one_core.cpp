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
  HitMemo *const memos = rows_.memos();
  const Reference *const references = batch.references.data();
  // No object begins or ends among hits, so these stay where they are.
  const uint32_t *const versions = objects.lineVersions();
  LiveObject *const live = &objects.at(0);
  Flow *const flow = this->flow.get();
  Life *const lives = WithFlow ? flow->lives() : nullptr;
  const uint64_t *const times = batch.times.data();
  if (live != remembered_) [[unlikely]]
    rows_.forgetMemos();
  remembered_ = live;
  for (const Reference *at = references + begin, *last = references + end; at < last; at++) {
    HitMemo &memo = memos[at->slot];
    if (memo.holds(at->address) && versions[memo.line] == memo.version &&
        (!WithFlow || Flow::isInStep(lives[memo.live], memo.stepKey, at->address, memo.size))) [[likely]] {
      if constexpr (WithFlow) lives[memo.live].hits++;
      countHit(memo, live[memo.live], *at);
      continue;
    }
    LiveObject *const object = objects.lookUp(at->granule, at->address);
    if (!object || !memo.isOf(objects.numberOf(*object), *object) || at->size == SIZE_BY_SLOT) [[unlikely]] {
      countOtherHit<WithFlow>(batch, *at, memo, object);
      continue;
    }
    const uint32_t line = at->granule >> granulesShift_;
    if constexpr (WithFlow) flow->hit(*object, memo.stepKey, line, at->address, 1u << at->size, times[at - references]);
    countHit(memo, *object, *at);
    if (memo.line == line) [[unlikely]]
      rememberBytes(memo, *at, *object);
    else
      memo.length = 0;
    memo.line = line;
  }
}

/// A plain hit that counts as the memo says.
[[gnu::always_inline]] inline void CountStage::countHit(const HitMemo &memo, LiveObject &object,
                                                        const Reference &reference) {
  object.flags |= memo.loaded;
  if (memo.count) [[likely]] {
    ++*memo.count;
    ++*memo.row;
  } else {
    object.pending->add(0, reference.slot, outcome::PLAIN | uint32_t{reference.store});
  }
}

/// A plain hit in an object, or in none, that the slot's hit before did not meet.
template <bool WithFlow>
[[gnu::noinline]] void CountStage::countOtherHit(const ReferenceBatch &batch, const Reference &reference, HitMemo &memo,
                                                 LiveObject *object) {
  const uint32_t slot = reference.slot, size = WithFlow ? sizeOf(reference) : 0;
  SlotRows::State &state = rows_.states(0)[slot];
  const Target target = typeIn(object, state, slot, reference.granule, reference.address);
  rows_.countPlain(target, 0, slot, state);
  if (!object) return;
  object->flags |= state.loaded;
  const uint32_t line = reference.granule >> granulesShift_, number = objects.numberOf(*object);
  if constexpr (WithFlow)
    flow->hit(*object, state.stepKey, line, reference.address, size, batch.times[&reference - batch.references.data()]);
  // Many slots never meet an object again: only one that is met twice makes a memo.
  memo.forgetTarget();
  if (memo.live == number) rows_.remember(memo, state, target);
  memo.live = number;
  memo.line = line;
}

/// Notes those bytes of the reference's line that belong to the object alone.
void CountStage::rememberBytes(HitMemo &memo, const Reference &reference, const LiveObject &object) {
  const uint64_t lineBegin = reference.address & ~uint64_t{lineMask_}, first = std::max(object.start, lineBegin),
                 last = std::min(lastOf(object.start, object.size), lineBegin + lineMask_);
  auto granuleOf = [&](uint64_t address) {
    return memo.line << granulesShift_ | static_cast<uint32_t>(address & lineMask_) >> PageMap::granuleShift;
  };
  for (uint32_t granule = granuleOf(first), end = granuleOf(last); granule <= end; granule++)
    if (objects.inTouched(granule) != memo.live) return;
  memo.first = first;
  memo.length = static_cast<uint32_t>(last - first + 1);
  memo.version = objects.lineVersions()[memo.line];
  memo.size = 1u << reference.size;
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
