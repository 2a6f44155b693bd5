// Stage: replay. Caches and counting on one core: long runs of plain hits in loops of their own. No object depends on a cache and no cache on an
// object, so neither can tell that each batch goes through the caches first and to rows afterwards.
#include "cache_stage.h"
#include "count_stage.h"

namespace dprof {

// -- caches

void CacheStage::lookUpOnOneCore(ReferenceBatch &batch) {
  const unsigned granulesShift = granulesShift_;
  const Reference *const references = batch.references.data();
  auto missed = [&](uint32_t at, uint32_t bits) { batch.outcomes.push_back({at, bits}); };
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  uint32_t at = 0;
  auto lookTo = [&](uint32_t end) {
    for (; odd < oddEnd && odd->reference < end; odd++) {
      hierarchy.referenceAll(references, at, odd->reference, granulesShift, missed);
      at = odd->reference;
      for (uint32_t piece = odd->firstPiece; piece < odd->firstPiece + odd->pieces; piece++)
        missed(at, hierarchy.reference<true>(hierarchy.core(0), batch.pieces[piece] >> granulesShift, references[at].store, 0, 0));
      at++;
    }
    hierarchy.referenceAll(references, at, end, granulesShift, missed);
    at = end;
  };
  for (LoopRun &run : batch.runs) {
    lookTo(run.before);
    lookUpRun(batch, run);
  }
  lookTo(batch.count);
  missed(NO_INDEX, 0);
}

// -- rows

void CountStage::countOnOneCore(const ReferenceBatch &batch) {
  const Reference *const references = batch.references.data();
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  const Outcome *outcome = batch.outcomes.data();
  uint32_t at = 0;
  auto countTo = [&](uint32_t end) {
    for (;;) {
      uint32_t oddAt = odd < oddEnd ? odd->reference : NO_INDEX, stop = std::min({end, oddAt, outcome->reference});
      countHits(references + at, references + stop);
      at = stop;
      if (at == end) return;
      const Reference &next = references[at];
      if (at == oddAt) outcome = countOdd(batch, *odd++, outcome);
      else rows_.count(typeOf(rows_.states()[next.slot], next.slot, next.granule, next.address), next.slot, outcome++->bits);
      at++;
    }
  };
  const Change *next = batch.changes.data();
  auto changesTo = [&](size_t end) {
    for (; next < batch.changes.data() + end; next++) {
      countTo(next->before);
      change(batch, *next);
    }
  };
  uint32_t outcomes = 0;
  for (const LoopRun &run : batch.runs) {
    changesTo(run.changesBefore);
    countTo(run.before);
    countRun(batch, run, outcomes);
    outcomes = run.outcomesEnd;
  }
  changesTo(batch.changes.size());
  countTo(batch.count);
}

void CountStage::countHits(const Reference *begin, const Reference *end) {
  SlotRows::State *const slots = rows_.states();
  for (const Reference *at = begin; at < end; at++) {
    SlotRows::State &state = slots[at->slot];
    rows_.countPlain(typeOf(state, at->slot, at->granule, at->address), at->slot, state);
  }
}

/// Returns the outcome behind the last piece's.
const Outcome *CountStage::countOdd(const ReferenceBatch &batch, const OddAccess &access, const Outcome *outcome) {
  AccessLatency latency = latencyOf(outcome, access.pieces);
  const Reference &reference = batch.references[access.reference];
  uint64_t address = reference.address;
  for (uint32_t piece = 0; piece < access.pieces; piece++) {
    uint32_t bits = latency.bitsOf(piece, outcome++->bits);
    rows_.count(typeOf(rows_.states()[reference.slot], reference.slot, batch.pieces[access.firstPiece + piece], address), reference.slot, bits);
    totals.continuations += piece != 0;
    address += lineMask_ + 1 - (address & lineMask_);
  }
  return outcome;
}

} // namespace dprof
