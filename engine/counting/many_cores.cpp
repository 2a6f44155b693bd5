// Stage: replay. Caches and counting on several cores. A line's way between cores is the caches' to know, an object's
// the counting's; where a pair needs both, the caches number the stores that matter and say whose it was that came
// last.
#include "caches/cache_stage.h"
#include "counting/count_stage.h"

namespace dprof {

// -- caches

template <bool Whole> void CacheStage::lookUpOnManyCores(ReferenceBatch &batch) {
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  const uint16_t *blockBytes = batch.blockBytes.data();
  for (size_t turn = 0; turn < batch.turns.size(); turn++) {
    TurnStart of = batch.turns[turn];
    uint32_t end = turn + 1 < batch.turns.size() ? batch.turns[turn + 1].reference : batch.count;
    Hierarchy::Core &core = hierarchy.core(of.core);
    for (uint32_t at = of.reference; at < end; at++) {
      const Reference &reference = batch.references[at];
      if constexpr (!Whole) {
        // An odd access has no granule, and line 0 hits nothing.
        if (reference.size != SIZE_BY_SLOT && !hasWideLines_ &&
            hierarchy.hitsAgain(core, reference.granule >> granulesShift_, reference.store,
                                static_cast<uint32_t>(reference.address) & lineMask_, 1u << reference.size))
          continue;
      }
      Shape shape = shapes_[reference.slot];
      uint32_t size = shape.isBlock ? *blockBytes++ : shape.size;
      Access access{at,
                    reference.granule >> granulesShift_,
                    reference.slot,
                    size,
                    reference.address,
                    reference.store != 0,
                    of.holdsLock || shape.isAtomic,
                    false};
      if (odd < oddEnd && odd->reference == at)
        lookUpOdd<Whole>(batch, core, access, *odd++);
      else
        lookUp<Whole>(batch, core, access);
    }
  }
  batch.outcomes.push_back({NO_INDEX, 0});
  batch.asides.push_back({NO_INDEX, NO_INDEX, NO_INDEX, 0});
  batch.lineMoves.push_back({NO_INDEX, NO_INDEX, {}});
}

template <bool Whole>
void CacheStage::lookUpOdd(ReferenceBatch &batch, Hierarchy::Core &core, Access access, const OddAccess &odd) {
  access.isPiece = true;
  for (uint32_t piece = odd.firstPiece, left = access.size; piece < odd.firstPiece + odd.pieces; piece++) {
    access.line = batch.pieces[piece] >> granulesShift_;
    access.size = std::min<uint32_t>(left, lineMask_ + 1 - (static_cast<uint32_t>(access.address) & lineMask_));
    lookUp<Whole>(batch, core, access);
    access.address += access.size;
    left -= access.size;
  }
}

template <bool Whole>
[[gnu::always_inline]] inline void CacheStage::lookUp(ReferenceBatch &batch, Hierarchy::Core &core,
                                                      const Access &access) {
  uint32_t bits, unit = core.number, cached = access.line; // the L1, and the line as its caches number it
  uint32_t first = static_cast<uint32_t>(access.address) & lineMask_;
  Aside aside{static_cast<uint32_t>(batch.outcomes.size()), NO_INDEX, NO_INDEX, 0};
  if constexpr (Whole) {
    bits = whole->reference(core.number, access.slot, access.address, access.size, access.store);
    aside.prefetches = whole->prefetches();
    unit = whole->l1Unit(core.number);
    cached = whole->line();
  } else {
    bits = hierarchy.reference<false>(core, access.line, access.store, first, access.size);
  }
  Use use{unit, cached, first, access.size};
  bool moved = false;
  if constexpr (Whole) {
    if (hierarchy.events.empty())
      lineUse_.use(unit, cached, first, access.size);
    else
      moved = follow<true>(batch, use);
  } else {
    note(batch, bits, use);
    if (!hierarchy.events.empty()) moved = follow<false>(batch, use);
  }
  CrossLine &line = hierarchy.cross(access.line);
  if (line.lastCore != core.number + 1) [[unlikely]] {
    if (line.lastCore) {
      bits |= outcome::TRANSFER | (access.orderBound ? outcome::ORDER_BOUND : 0);
      if (!line.shared) line.shared = hierarchy.sharing.create();
      if constexpr (!Whole) hierarchy.core(line.lastCore - 1).lines[access.line].cameLast = 0;
    }
    if constexpr (!Whole) core.lines[access.line].cameLast = 1;
    line.lastCore = static_cast<uint8_t>(core.number + 1);
  }
  if (line.shared) lookUpShared<Whole>(core.number, line.shared, access, bits, aside);
  bool isSaid = aside.missed != NO_INDEX || aside.stored != NO_INDEX || aside.prefetches;
  if (isSaid) batch.asides.push_back(aside);
  if (isSaid || moved || access.isPiece || (bits & ~outcome::STORE) != outcome::PLAIN)
    batch.outcomes.push_back({access.reference, bits});
}

/// Of a line that a second core has referenced. Others' stores are those of another L1.
template <bool Whole>
void CacheStage::lookUpShared(uint32_t core, uint32_t line, const Access &access, uint32_t bits, Aside &aside) {
  uint32_t sharer = Whole ? whole->l1Unit(core) : core, first = static_cast<uint32_t>(access.address) & lineMask_,
           kind = outcome::missClass(bits, 0);
  if (kind == TRUE_SHARING || kind == FALSE_SHARING)
    aside.missed = hierarchy.sharing.lastStore(line, sharer, kind == TRUE_SHARING, first, access.size);
  if (kind != HIT || Whole)
    hierarchy.sharing.seen(line, sharer); // a line that was prefetched may have missed stores, and hit
  if (access.store)
    aside.stored = hierarchy.sharing.store(line, sharer, first, {access.address, access.size, access.slot});
}

template void CacheStage::lookUpOnManyCores<false>(ReferenceBatch &);
template void CacheStage::lookUpOnManyCores<true>(ReferenceBatch &);

// -- rows

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

/// The object that the reference lies in, null for none; and what it and its line are from now on.
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
    rows_.countPlain(object ? rows_.rowIn(*object, state, core, at->slot, at->address, leaf) : Target{}, core, at->slot,
                     state);
  }
}

/// The next outcome is the reference's. `bits`: what of it is to be counted.
template <bool WithFlow>
void CountStage::countMetOf(const ReferenceBatch &batch, Place &place, const Reference &reference, uint32_t size,
                            uint32_t bits) {
  uint32_t leaf = NO_INDEX, slot = reference.slot;
  LiveObject *object = pass(place.core, reference);
  SlotRows::State &state = rows_.states(place.core)[slot];
  Target target = object ? rows_.rowIn(*object, state, place.core, slot, reference.address, leaf) : Target{};
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
  note<WithFlow>(batch, place, place.core, state, slot, object);
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
