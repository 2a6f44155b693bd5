// Stage: replay, the last of three. The counting on several cores, and on machines that are not plain: references are
// counted one after the other.
#include "counting/count_stage.h"

namespace dprof {

template <bool WithFlow> void CountStage::countOnManyCores(const ReferenceBatch &batch) {
  const Reference *const references = batch.references.data();
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  Place place{{batch.outcomes.data(), batch.misses.data(), batch.lineMoves.data()},
              batch.outcomes.data(),
              batch.turns[0].core,
              batch.turns.data() + 1,
              batch.turns.data() + batch.turns.size(),
              batch.asides.data()};
  uint32_t at = 0;
  auto countTo = [&](uint32_t end) {
    for (;;) {
      const uint32_t oddAt = odd < oddEnd ? odd->reference : NO_INDEX;
      const uint32_t stop = std::min({end, oddAt, place.outcome->reference});
      if (at < stop) countHitsOf<WithFlow>(batch, place, at, stop);
      at = stop;
      if (at == end) return;
      place.turnTo(at);
      if (at == oddAt)
        countOddOf<WithFlow>(batch, place, *odd++);
      else if (!isPlainStore(place))
        countMetOf<WithFlow>(batch, place, references[at], WithFlow ? sizeOf(references[at]) : 0, place.outcome->bits);
      else if (!countStoreOf<WithFlow>(place, references[at]))
        countMetOf<WithFlow, true>(batch, place, references[at], WithFlow ? sizeOf(references[at]) : 0,
                                   place.outcome->bits);
      at++;
    }
  };
  for (const Change &next : batch.changes) {
    countTo(next.before);
    lookTo(batch, next.before);
    if (next.what != Change::EVENT || ObjectChanges::changes(batch.events[next.at])) coreHits_->forgetAll();
    change(batch, next);
  }
  countTo(batch.count);
  lookTo(batch, batch.count);
}

template void CountStage::countOnManyCores<false>(const ReferenceBatch &);
template void CountStage::countOnManyCores<true>(const ReferenceBatch &);

/// The core refers to the object, and to a line; `writeShared`: that is of this kind now.
static void passObject(LiveObject &object, uint32_t core, bool writeShared) {
  if (object.lastCore != core + 1) {
    object.flags |= object.lastCore ? OBJECT_BOUNCED : 0;
    object.lastCore = static_cast<uint8_t>(core + 1);
  }
  if (writeShared) object.flags |= OBJECT_WRITE_SHARED;
}

/// The object in which the reference lies, null for none. Updates the state of the object and its line.
[[gnu::always_inline]] inline LiveObject *CountStage::pass(uint32_t core, const Reference &reference) {
  LiveObject *object = objects.lookUp(reference.granule, reference.address);
  const bool writeShared = writeShared_.pass(reference.granule >> granulesShift_, core, reference.store);
  if (object)
    passObject(*object, core, writeShared);
  else
    totals.outsideLife += objects.wasFreed(reference.granule, reference.address);
  return object;
}

template <bool WithFlow>
void CountStage::countHitsOf(const ReferenceBatch &batch, Place &place, uint32_t begin, uint32_t end) {
  const Reference *const references = batch.references.data();
  for (uint32_t at = begin; at < end;) {
    place.turnTo(at);
    const uint32_t core = place.core, stop = place.turn < place.turnsEnd ? std::min(end, place.turn->reference) : end;
    CoreHit *const memos = coreHits_->of(core);
    const LiveObject *passed = nullptr; // by the hit before, on this line; a store, or not
    uint32_t passedLine = 0, passedStore = 0;
    for (const Reference *next = references + at, *const last = references + stop; next < last; next++) {
      const Reference reference = *next;
      const uint32_t line = reference.granule >> granulesShift_;
      CoreHit &memo = memos[reference.slot];
      if (reference.address - memo.begin >= memo.length ||
          (WithFlow && flow->isElsewhere(*memo.life, memo.stepKey, line))) [[unlikely]] {
        countOtherHit<WithFlow>(batch, core, static_cast<uint32_t>(next - references), memo);
        continue;
      }
      LiveObject &object = *memo.object;
      if (line != passedLine || &object != passed || reference.store > passedStore) {
        passObject(object, core, writeShared_.pass(line, core, reference.store));
        passed = &object;
        passedLine = line;
        passedStore = reference.store;
      }
      object.flags |= memo.loaded;
      if constexpr (WithFlow) Flow::hitHere(*memo.life, reference.address, 1u << reference.size);
      if (reference.store) sharing.storeTo(line, reference.address, {reference.slot, &object, memo.leaf});
      ++*memo.references;
      if (memo.hits) [[likely]]
        ++*memo.hits;
      else
        object.pending->add(core, reference.slot, outcome::PLAIN | uint32_t{reference.store});
    }
    at = stop;
  }
}

/// A plain hit of which its memo does not say where it counts.
template <bool WithFlow>
[[gnu::noinline]] void CountStage::countOtherHit(const ReferenceBatch &batch, uint32_t core, uint32_t at,
                                                 CoreHit &memo) {
  const Reference &reference = batch.references[at];
  SlotRows::State &state = rows_.states(core)[reference.slot];
  const uint32_t slot = reference.slot, line = reference.granule >> granulesShift_,
                 size = WithFlow ? sizeOf(reference) : 0;
  LiveObject *object = pass(core, reference);
  uint32_t leaf = NO_INDEX;
  Target target;
  if (object) {
    object->flags |= state.loaded;
    if constexpr (WithFlow) flow->hit(*object, state.stepKey, line, reference.address, size, batch.times[at]);
    target = rows_.rowIn(*object, state, core, slot, reference.address, leaf);
    coreHits_->remember(memo, reference, rows_, state, *object, WithFlow ? &flow->lifeOf(*object) : nullptr, leaf,
                        target);
  } else {
    memo.length = 0;
  }
  if (reference.store) sharing.storeTo(line, reference.address, {slot, object, leaf});
  rows_.countPlain(target, core, slot, state);
}

/// The next outcome says no more of its reference than which store it was: it hit, and moved no line.
inline bool CountStage::isPlainStore(const Place &place) const {
  const auto at = static_cast<uint32_t>(place.outcome - place.firstOutcome);
  return (place.outcome->bits & ~outcome::STORE) == outcome::PLAIN && place.aside->outcome == at &&
         place.aside->missed == NO_INDEX && place.aside->stored != NO_INDEX && !place.aside->prefetches &&
         place.move->outcome != at;
}

/// Counts such a reference by the memo of its slot, as `countHitsOf` does. False: the memo does not know it.
template <bool WithFlow> bool CountStage::countStoreOf(Place &place, const Reference &reference) {
  const uint32_t core = place.core, line = reference.granule >> granulesShift_;
  CoreHit &memo = coreHits_->of(core)[reference.slot];
  if (reference.address - memo.begin >= memo.length || !memo.hasRow ||
      (WithFlow && flow->isElsewhere(*memo.life, memo.stepKey, line)))
    return false;
  LiveObject &object = *memo.object;
  passObject(object, core, writeShared_.pass(line, core, true));
  object.flags |= memo.loaded;
  if constexpr (WithFlow) Flow::hitHere(*memo.life, reference.address, 1u << reference.size);
  sharing.storeTo(line, place.aside->stored, reference.address, {reference.slot, &object, memo.leaf});
  ++*memo.references;
  if (memo.hits)
    ++*memo.hits;
  else
    object.pending->add(core, reference.slot, place.outcome->bits);
  place.aside++;
  place.outcome++;
  return true;
}

/// The next outcome is the reference's. `bits`: the part of it that is to be counted. `Remembers`: it hit, so the memo
/// of its slot becomes that of the object.
template <bool WithFlow, bool Remembers>
void CountStage::countMetOf(const ReferenceBatch &batch, Place &place, const Reference &reference, uint32_t size,
                            uint32_t bits) {
  uint32_t leaf = NO_INDEX, slot = reference.slot;
  LiveObject *object = pass(place.core, reference);
  SlotRows::State &state = rows_.states(place.core)[slot];
  Target target = object ? rows_.rowIn<Remembers>(*object, state, place.core, slot, reference.address, leaf) : Target{};
  const uint32_t line = reference.granule >> granulesShift_;
  if (outcome::missClass(bits, 0) == COMPULSORY && outcome::shared(bits, 0))
    sharing.coldMiss(line, {slot, object, leaf});
  if (reference.store) sharing.storeTo(line, reference.address, {slot, object, leaf});
  if (static_cast<size_t>(place.outcome - batch.outcomes.data()) == place.aside->outcome) {
    const Aside &aside = *place.aside++;
    if (aside.missed != NO_INDEX)
      sharing.miss(aside.missed, static_cast<MissClass>(outcome::missClass(bits, 0)), {slot, object, leaf});
    if (aside.stored != NO_INDEX) sharing.store(aside.stored, reference.address, {slot, object, leaf});
    if (aside.prefetches) rows_.count(target, place.core, slot, aside.prefetches);
  }
  if constexpr (WithFlow) {
    if (object)
      flow->met(*object, state.stepKey, reference.granule >> granulesShift_, reference.address, size, bits,
                batch.times[place.outcome->reference]);
  }
  note<WithFlow>(batch, place, place.core, state, slot, object, bits);
  rows_.count(target, place.core, slot, bits);
  if constexpr (Remembers) {
    CoreHit &memo = coreHits_->of(place.core)[slot];
    memo.length = 0;
    if (object)
      coreHits_->remember(memo, reference, rows_, state, *object, WithFlow ? &flow->lifeOf(*object) : nullptr, leaf,
                          target);
  }
}

template <bool WithFlow>
void CountStage::countOddOf(const ReferenceBatch &batch, Place &place, const OddAccess &access) {
  AccessLatency latency = latencyOf(place.outcome, access.pieces);
  Reference reference = batch.references[access.reference];
  uint32_t left = WithFlow ? sizeOf(reference) : 0;
  for (uint32_t piece = 0; piece < access.pieces; piece++) {
    reference.granule = batch.pieces[access.firstPiece + piece];
    const uint32_t toLine = lineMask_ + 1 - (static_cast<uint32_t>(reference.address) & lineMask_),
                   size = std::min(left, toLine);
    countMetOf<WithFlow>(batch, place, reference, size, latency.bitsOf(piece, place.outcome->bits));
    totals.continuations += piece != 0;
    reference.address += toLine;
    left -= size;
  }
}

} // namespace dprof
