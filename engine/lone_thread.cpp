// Stage: replay. One thread on one core. Its references come ready-made in batches, each of which goes through the caches first and to
// rows afterwards: with one core no object depends on a cache and no cache on an object, so neither can tell.
#include "live_source.h"
#include "pipeline.h"
#include "reference_stream.h"
#include "replay.h"

namespace dprof {

constexpr size_t BATCHES = 12; // under way; all of them fit into a host's L2

void Replay::runAlone(uint32_t number) {
  if (!alone_) alone_ = std::make_unique<ReferenceStream>(file, plans, input.threads[number], input.machine.lineShift);
  auto layOut = [&](ReferenceBatch &batch) { return !(input.live && input.live->isPaused()) && alone_->next(batch); };
  auto lookUp = [&](ReferenceBatch &batch) {
    lookUpCaches(batch);
    return true;
  };
  auto count = [&](ReferenceBatch &batch) {
    countBatch(number, batch);
    return true;
  };
  Pipeline<ReferenceBatch>({layOut, lookUp, count}, input.workers < 2 ? 1 : BATCHES).run(input.workers);
}

// -- caches

void Replay::lookUpCaches(ReferenceBatch &batch) {
  for (uint64_t page : batch.newPages) hierarchy.addPage(page);
  const unsigned granulesShift = pages.lineShift - PageMap::granuleShift; // of a line
  const Reference *const references = batch.references.data();
  auto missed = [&](uint32_t at, uint32_t bits) { batch.outcomes.push_back({at, bits}); };
  uint32_t at = 0;
  for (const OddAccess &odd : batch.odd) {
    hierarchy.referenceAll(references, at, odd.reference, granulesShift, missed);
    at = odd.reference;
    for (uint32_t piece = odd.firstPiece; piece < odd.firstPiece + odd.pieces; piece++)
      missed(at, hierarchy.reference<true>(hierarchy.core(0), batch.pieces[piece] >> granulesShift, references[at].store, 0, 0));
    at++;
  }
  hierarchy.referenceAll(references, at, batch.count, granulesShift, missed);
  missed(NO_INDEX, 0);
}

// -- rows

void Replay::countBatch(uint32_t thread, const ReferenceBatch &batch) {
  for (uint64_t page : batch.newPages) addPageOfObjects(page);
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
      else count(typeOf(slots_[next.slot], next.slot, next.granule, next.address), next.slot, outcome++->bits);
      at++;
    }
  };
  for (const Change &next : batch.changes) {
    countTo(next.before);
    change(thread, batch, next);
  }
  countTo(batch.count);
  totals.segments = batch.segments;
  totals.slots = batch.slots;
  totals.time = batch.time;
  reportProgress(batch.bytesRead);
  if (input.live) reportTopTypes();
}

[[gnu::always_inline]] inline Replay::Target Replay::typeOf(SlotState &state, uint32_t slot, uint32_t granule, uint64_t address) {
  uint32_t leaf = NO_INDEX;
  if (LiveObject *object = objects.lookUp(granule, address)) [[likely]] return typeIn(*object, state, slot, address, leaf);
  totals.outsideLife += objects.wasFreed(granule, address);
  return {NO_INDEX, nullptr};
}

void Replay::countHits(const Reference *begin, const Reference *end) {
  SlotState *const slots = slots_.data();
  for (const Reference *at = begin; at < end; at++) {
    SlotState &state = slots[at->slot];
    countPlain(typeOf(state, at->slot, at->granule, at->address), at->slot, state);
  }
}

/// The first piece's outcome carries the latency of the slowest. Returns the outcome behind the last piece's.
const Outcome *Replay::countOdd(const ReferenceBatch &batch, const OddAccess &access, const Outcome *outcome) {
  uint32_t slowest = SERVED_L1;
  bool missed = false;
  for (const Outcome *piece = outcome; piece < outcome + access.pieces; piece++) {
    uint32_t server = outcome::server(piece->bits);
    missed |= server != SERVED_L1;
    if (piece == outcome || latencies_[server] > latencies_[slowest]) slowest = server;
  }
  const Reference &reference = batch.references[access.reference];
  uint64_t address = reference.address;
  for (uint32_t piece = 0; piece < access.pieces; piece++) {
    bool begins = piece == 0;
    uint32_t bits = outcome::withLatency(outcome++->bits, begins ? slowest : uint32_t{NO_SERVER}, begins && missed);
    count(typeOf(slots_[reference.slot], reference.slot, batch.pieces[access.firstPiece + piece], address), reference.slot, bits);
    totals.continuations += !begins;
    address += lineMask_ + 1 - (address & lineMask_);
  }
  return outcome;
}

void Replay::change(uint32_t thread, const ReferenceBatch &batch, const Change &change) {
  totals.time = change.now;
  const uint64_t *words = batch.words.data() + change.at;
  switch (change.what) {
  case Change::ENTER: enter(thread, plans.records[change.record], words); break;
  case Change::LEAVE: objects.leaveFrame(thread, plans.records[change.record].function, change.now); break;
  case Change::OBJECT_RECORD: objectRecord(thread, plans.records[change.record], words, callPaths.number(change.path)); break;
  case Change::EVENT: event(thread, batch.events[change.at]);
  }
}

} // namespace dprof
