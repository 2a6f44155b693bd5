// Stage: replay, the last of three. The counting on several cores, and on machines that are not plain: references are
// counted one after the other.
#include "counting/count_stage.h"

namespace dprof {

template <bool WithFlow> void CountStage::countOnManyCores(const ReferenceBatch &batch) {
  const Reference *const references = batch.references.data();
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  const TurnStart *turn = batch.turns.data(), *const turnsEnd = turn + batch.turns.size();
  Place place{{batch.outcomes.data(), batch.misses.data(), batch.lineMoves.data()}, turn++->core, batch.asides.data()};
  uint32_t at = 0;
  auto countTo = [&](uint32_t end) {
    for (;;) {
      for (; turn < turnsEnd && turn->reference == at; turn++) place.core = turn->core;
      uint32_t oddAt = odd < oddEnd ? odd->reference : NO_INDEX, turnAt = turn < turnsEnd ? turn->reference : NO_INDEX;
      uint32_t stop = std::min({end, oddAt, turnAt, place.outcome->reference});
      countHitsOf<WithFlow>(batch, place.core, at, stop);
      at = stop;
      if (at == end) return;
      if (at == turnAt) continue;
      if (at == oddAt)
        countOddOf<WithFlow>(batch, place, *odd++);
      else
        countMetOf<WithFlow>(batch, place, references[at], WithFlow ? sizeOf(references[at]) : 0, place.outcome->bits);
      at++;
    }
  };
  for (const Change &next : batch.changes) {
    countTo(next.before);
    lookTo(batch, next.before);
    change(batch, next);
  }
  countTo(batch.count);
  lookTo(batch, batch.count);
}

template void CountStage::countOnManyCores<false>(const ReferenceBatch &);
template void CountStage::countOnManyCores<true>(const ReferenceBatch &);

/// The object in which the reference lies, null for none. Updates the state of the object and its line.
[[gnu::always_inline]] inline LiveObject *CountStage::pass(uint32_t core, const Reference &reference) {
  LiveObject *object = objects.lookUp(reference.granule, reference.address);
  bool writeShared = writeShared_.pass(reference.granule >> granulesShift_, core, reference.store);
  if (!object) {
    totals.outsideLife += objects.wasFreed(reference.granule, reference.address);
    return nullptr;
  }
  if (object->lastCore != core + 1) {
    object->flags |= object->lastCore ? OBJECT_BOUNCED : 0;
    object->lastCore = static_cast<uint8_t>(core + 1);
  }
  if (writeShared) object->flags |= OBJECT_WRITE_SHARED;
  return object;
}

template <bool WithFlow>
void CountStage::countHitsOf(const ReferenceBatch &batch, uint32_t core, uint32_t begin, uint32_t end) {
  SlotRows::State *const slots = rows_.states(core);
  const Reference *const references = batch.references.data();
  const uint64_t *const times = batch.times.data();
  Flow *const flow = this->flow.get();
  for (const Reference *at = references + begin, *last = references + end; at < last; at++) {
    SlotRows::State &state = slots[at->slot];
    LiveObject *object = pass(core, *at);
    uint32_t leaf = NO_INDEX;
    const uint32_t size = WithFlow ? sizeOf(*at) : 0;
    if (object) {
      object->flags |= state.loaded;
      if constexpr (WithFlow)
        flow->hit(*object, state.stepKey, at->granule >> granulesShift_, at->address, size, times[at - references]);
    }
    Target target = object ? rows_.rowIn(*object, state, core, at->slot, at->address, leaf) : Target{};
    if (at->store) sharing.storeTo(at->granule >> granulesShift_, at->address, {at->slot, object, leaf});
    rows_.countPlain(target, core, at->slot, state);
  }
}

/// The next outcome is the reference's. `bits`: the part of it that is to be counted.
template <bool WithFlow>
void CountStage::countMetOf(const ReferenceBatch &batch, Place &place, const Reference &reference, uint32_t size,
                            uint32_t bits) {
  uint32_t leaf = NO_INDEX, slot = reference.slot;
  LiveObject *object = pass(place.core, reference);
  SlotRows::State &state = rows_.states(place.core)[slot];
  Target target = object ? rows_.rowIn(*object, state, place.core, slot, reference.address, leaf) : Target{};
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
