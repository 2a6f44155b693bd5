// Stage: replay, the last of three. The counting on one plain core: long runs of plain hits are counted in a loop of
// their own. No object depends on a cache, so it does not matter that the whole batch was looked up before.
#include "counting/count_stage.h"

namespace dprof {

/// The next outcome is the reference's. `bits`: the part of it that is to be counted.
template <bool WithFlow>
[[gnu::noinline]] void CountStage::countMet(const ReferenceBatch &batch, Met &met, const Reference &reference,
                                            uint32_t size, uint32_t bits) {
  const uint32_t slot = reference.slot;
  const uint64_t time = WithFlow ? batch.times[met.outcome->reference] : 0, address = reference.address;
  met.outcome++;
  SlotRows::State &state = rows_.states(0)[slot];
  const uint32_t live = objects.candidate(reference.granule, address);
  LiveObject &object = objects.at(live);
  const bool isMiss = outcome::missClass(bits, 0) != HIT;
  if (address - object.start >= object.size) [[unlikely]] {
    totals.outsideLife += objects.wasFreed(reference.granule, address);
    if (isMiss) follow<WithFlow>(*met.miss++, 0, 0, bits, {state.type, nullptr, time});
    return rows_.count({}, 0, slot, bits);
  }
  uint32_t leaf = NO_INDEX;
  const Target target = rows_.rowIn<false>(object, state, 0, slot, address, leaf);
  uint32_t owner = 0;
  if constexpr (WithFlow) {
    Life &life = flow->life(live);
    flow->met(life, object, state.stepKey, reference.granule >> granulesShift_, address, size, bits, time);
    if (isMiss) owner = flow->residency.ownerOf(&life);
  }
  if (isMiss) [[likely]] {
    const uint32_t label = labels.ofReference(state.structType != 0, state.type, object);
    followFor<WithFlow>(*met.miss++, 0, 0, bits, label, owner, time);
  }
  countMiss(object, bits);
  object.flags |= state.loaded;
  rows_.count(target, 0, slot, bits);
}

template <bool WithFlow> void CountStage::countTo(const ReferenceBatch &batch, OnePlace &place, uint32_t end) {
  const Reference *const references = batch.references.data();
  for (uint32_t at = place.at;; at++) {
    const uint32_t oddAt = place.oddAt(), stop = std::min(end, std::min(oddAt, place.outcome->reference));
    if (at < stop) countHits<WithFlow>(batch, at, stop);
    at = stop;
    if (at == end) break;
    if (place.outcome >= place.fetchesFrom) fetchAhead<WithFlow>(batch, place, 0);
    if (at == oddAt) [[unlikely]] {
      countOdd<WithFlow>(batch, *place.odd++, place);
    } else {
      const Reference &next = references[at];
      countMet<WithFlow>(batch, place, next, WithFlow ? sizeOf(next) : 0, place.outcome->bits);
    }
  }
  place.at = end;
}

template <bool WithFlow> void CountStage::countOnOneCore(const ReferenceBatch &batch) {
  OnePlace place{
      {batch.outcomes.data(), batch.misses.data(), nullptr}, 0, batch.odd.data(), batch.odd.data() + batch.odd.size()};
  const Change *next = batch.changes.data();
  auto changesTo = [&](size_t end) {
    for (; next < batch.changes.data() + end; next++) {
      countTo<WithFlow>(batch, place, next->before);
      lookTo(batch, next->before);
      change(batch, *next);
    }
  };
  uint32_t outcomes = 0;
  const LineMiss *misses = batch.loopMisses.data();
  for (const LoopRun &run : batch.runs) {
    changesTo(run.changesBefore);
    countTo<WithFlow>(batch, place, run.before);
    countRun(batch, run, outcomes, misses);
    outcomes = run.outcomesEnd;
  }
  changesTo(batch.changes.size());
  countTo<WithFlow>(batch, place, batch.count);
  lookTo(batch, batch.count);
}

template void CountStage::countOnOneCore<false>(const ReferenceBatch &);
template void CountStage::countOnOneCore<true>(const ReferenceBatch &);

template <bool WithFlow> void CountStage::countHits(const ReferenceBatch &batch, uint32_t begin, uint32_t end) {
  HitMemo *const memos = memos_->data();
  const Reference *const references = batch.references.data();
  const uint32_t *const objectOf = WithFlow ? flow->lines.lastObjects() : nullptr;
  for (const Reference *at = references + begin, *last = references + end; at < last;) {
    HitMemo &memo = memos[at->slot];
    if (memo.holds<WithFlow>(at->address, at->granule >> granulesShift_, objectOf)) [[likely]] {
      memo.hits++;
      at++;
    } else {
      at = countOtherHits<WithFlow>(batch, at, last);
    }
  }
}

/// A plain hit that is looked up. Returns the number of its object, 0 for none.
template <bool WithFlow>
[[gnu::always_inline]] inline uint32_t CountStage::countHit(SlotRows::State &state, uint32_t slot, uint32_t granule,
                                                            uint64_t address, uint32_t size, const uint64_t &time) {
  granule |= (static_cast<uint32_t>(address) & lineMask_) >> PageMap::granuleShift;
  const uint32_t number = objects.candidate(granule, address);
  LiveObject &object = objects.at(number);
  if (address - object.start >= object.size) [[unlikely]] {
    totals.outsideLife += objects.wasFreed(granule, address);
    rows_.countOwn(slot, state);
    return 0;
  }
  uint32_t leaf = NO_INDEX;
  rows_.countPlain(rows_.rowIn(object, state, 0, slot, address, leaf), 0, slot, state);
  object.flags |= state.loaded;
  if constexpr (WithFlow) flow->hit(object, number, state.stepKey, granule >> granulesShift_, address, size, time);
  return number;
}

/// The words of a joined run, each with its slot's memo or without. Returns the number of their object, 0 if they have
/// none, or several.
template <bool WithFlow>
[[gnu::noinline]] uint32_t CountStage::countJoined(const JoinedRun &run, uint64_t lowest, uint32_t granule,
                                                   uint64_t time) {
  HitMemo *const memos = memos_->data();
  SlotRows::State *const states = rows_.states(0);
  const uint32_t *const objectOf = WithFlow ? flow->lines.lastObjects() : nullptr;
  const uint32_t line = granule >> granulesShift_;
  uint32_t of = NO_INDEX;
  for (const JoinedWord &word : run) {
    const uint64_t address = lowest + word.offset;
    HitMemo &memo = memos[word.slot];
    uint32_t number;
    if (memo.holds<WithFlow>(address, line, objectOf)) {
      memo.hits++;
      number = memos_->liveOf(word.slot);
    } else {
      number = countHit<WithFlow>(states[word.slot], word.slot, line << granulesShift_, address,
                                  plans_.slots[word.slot].size, time + word.before);
      if (number && memo.met == number) memos_->remember(word.slot, objects.at(number), address);
      memo.met = number;
    }
    of = of == NO_INDEX || of == number ? number : 0;
  }
  return of;
}

/// A plain hit, or a joined run of them, that its slot's memo does not know. `sizeOf`: the hit's, if it is asked for.
template <bool WithFlow, typename SizeOf>
[[gnu::always_inline]] inline void CountStage::countOther(HitMemo &memo, uint32_t slot, uint32_t granule,
                                                          uint64_t address, const uint64_t &time, SizeOf sizeOf) {
  const JoinedRun *const run = memos_->runOf(slot);
  const uint32_t number =
      run ? countJoined<WithFlow>(*run, address, granule, WithFlow ? time : 0)
          : countHit<WithFlow>(rows_.states(0)[slot], slot, granule, address, WithFlow ? sizeOf() : 0, time);
  // Many slots never meet an object again: only one that is met twice makes a memo.
  if (number && memo.met == number) memos_->remember(slot, objects.at(number), address);
  memo.met = number;
}

/// All references of a steady path, if its memo does not know them.
template <bool WithFlow> [[gnu::noinline]] void CountStage::countSteady(uint32_t slot, uint64_t time) {
  HitMemo *const memos = memos_->data();
  if (memos_->steady.holds(slot)) {
    memos[slot].hits++;
    return;
  }
  const SteadyPath &path = memos_->steady.pathOf(slot);
  const uint32_t *const objectOf = WithFlow ? flow->lines.lastObjects() : nullptr;
  for (size_t i = 0; i < path.references.size(); i++) {
    const Reference &of = path.references[i];
    HitMemo &memo = memos[of.slot];
    if (memo.holds<WithFlow>(of.address, of.granule >> granulesShift_, objectOf)) {
      memo.hits++;
      continue;
    }
    const uint64_t at = time + path.before[i];
    countOther<WithFlow>(memo, of.slot, of.granule, of.address, at, [&] { return plans_.slots[of.slot].size; });
  }
  memos_->steady.remember(slot);
}

static constexpr uint64_t NO_TIME = 0;

/// Plain hits of which their slots' memos do not know where they count, up to the next one that its memo knows. Between
/// them no object begins or ends.
template <bool WithFlow>
[[gnu::noinline]] const Reference *CountStage::countOtherHits(const ReferenceBatch &batch, const Reference *at,
                                                              const Reference *last) {
  HitMemo *const memos = memos_->data();
  const uint64_t *const times = batch.times.data();
  const Reference *const references = batch.references.data();
  const uint32_t *const objectOf = WithFlow ? flow->lines.lastObjects() : nullptr;
  HitMemo *memo = &memos[at->slot];
  do {
    const uint64_t &time = WithFlow ? times[at - references] : NO_TIME;
    if (memos_->steady.isSteady(at->slot)) [[unlikely]]
      countSteady<WithFlow>(at->slot, WithFlow ? time : 0);
    else
      countOther<WithFlow>(*memo, at->slot, at->granule, at->address, time, [&] { return sizeOf(*at); });
    if (++at == last) break;
    memo = &memos[at->slot];
  } while (!memo->holds<WithFlow>(at->address, at->granule >> granulesShift_, objectOf));
  return at;
}

template <bool WithFlow> void CountStage::countOdd(const ReferenceBatch &batch, const OddAccess &access, Met &met) {
  AccessLatency latency = latencyOf(met.outcome, access.pieces);
  Reference reference = batch.references[access.reference];
  uint32_t left = WithFlow ? sizeOf(reference) : 0;
  for (uint32_t piece = 0; piece < access.pieces; piece++) {
    reference.granule = batch.pieces[access.firstPiece + piece];
    const uint32_t toLine = lineMask_ + 1 - (static_cast<uint32_t>(reference.address) & lineMask_),
                   size = std::min(left, toLine);
    countMet<WithFlow>(batch, met, reference, size, latency.bitsOf(piece, met.outcome->bits));
    totals.continuations += piece != 0;
    reference.address += toLine;
    left -= size;
  }
}

} // namespace dprof
