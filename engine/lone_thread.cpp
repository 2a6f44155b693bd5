// Stage: replay. One thread on one core. Its references come ready-made in batches, each of which goes through the caches first and to
// rows afterwards: with one core no object depends on a cache and no cache on an object, so neither can tell.
#include "reference_stream.h"
#include "replay.h"

namespace dprof {

void Replay::runAlone(uint32_t number) {
  Ahead<ReferenceBatch> batches(depthFor(1));
  size_t lane = batches.addLane([stream = std::make_shared<ReferenceStream>(file, plans, input.threads[number], input.machine.lineShift)](
                                    ReferenceBatch &into) { return stream->next(into); });
  batches.start();
  while (const ReferenceBatch *batch = batches.next(lane)) {
    replayBatch(number, *batch);
    totals.segments = batch->segments;
    totals.slots = batch->slots;
    totals.time = batch->time;
    reportProgress(batch->bytesRead);
  }
}

void Replay::replayBatch(uint32_t thread, const ReferenceBatch &batch) {
  for (uint64_t page : batch.newPages) addPage(page);
  lookUpCaches(batch);
  const Reference *const references = batch.references.data();
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  const Outcome *outcome = outcomes_.data();
  uint32_t at = 0;
  auto countTo = [&](uint32_t end) {
    for (;;) {
      uint32_t oddAt = odd < oddEnd ? odd->reference : NO_INDEX, stop = std::min({end, oddAt, outcome->reference});
      countHits(references + at, references + stop);
      at = stop;
      if (at == end) return;
      const Reference &next = references[at];
      if (at == oddAt) outcome = countOdd(next, *odd++, outcome);
      else count(typeOf(slots_[next.slot], next.slot, next.granule, next.address), next.slot, outcome++->bits);
      at++;
    }
  };
  for (const Change &next : batch.changes) {
    countTo(next.before);
    change(thread, batch, next);
  }
  countTo(batch.count);
}

/// Leaves an outcome for every reference that is not a plain hit, and for all pieces of odd accesses; the last is no reference's.
void Replay::lookUpCaches(const ReferenceBatch &batch) {
  outcomes_.clear();
  Hierarchy::Core &core = hierarchy.core(0);
  const Reference *const references = batch.references.data();
  const SlotState *const slots = slots_.data();
  uint32_t at = 0;
  auto lookUpTo = [&](uint32_t end) {
    for (; at < end; at++) {
      uint32_t bits = hierarchy.reference<true>(core, pages.lineOf(references[at].granule), slots[references[at].slot].isStore, 0, 0);
      if ((bits & ~outcome::STORE) != outcome::PLAIN) [[unlikely]] outcomes_.push_back({at, bits});
    }
  };
  for (const OddAccess &odd : batch.odd) {
    lookUpTo(odd.reference);
    uint64_t address = references[at].address;
    for (uint64_t left = odd.size; left;) {
      uint64_t piece = std::min(left, lineMask_ + 1 - (address & lineMask_));
      outcomes_.push_back({at, hierarchy.reference<true>(core, pages.lineOf(granuleOf(address)), slots[references[at].slot].isStore, 0, 0)});
      address += piece;
      left -= piece;
    }
    at++;
  }
  lookUpTo(batch.count);
  outcomes_.push_back({NO_INDEX, 0});
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
const Replay::Outcome *Replay::countOdd(const Reference &first, const OddAccess &access, const Outcome *outcome) {
  uint32_t slowest = SERVED_L1;
  bool missed = false;
  for (const Outcome *piece = outcome; piece->reference == access.reference; piece++) {
    uint32_t server = outcome::server(piece->bits);
    missed |= server != SERVED_L1;
    if (piece == outcome || latencies_[server] > latencies_[slowest]) slowest = server;
  }
  uint64_t address = first.address;
  for (const Outcome *const begin = outcome; outcome->reference == access.reference; outcome++) {
    bool begins = outcome == begin;
    uint32_t bits = outcome::withLatency(outcome->bits, begins ? slowest : uint32_t{NO_SERVER}, begins && missed);
    count(typeOf(slots_[first.slot], first.slot, granuleOf(address), address), first.slot, bits);
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
  case Change::OBJECT_RECORD: objectRecord(thread, plans.records[change.record], words); break;
  case Change::EVENT: event(thread, batch.events[change.at]);
  }
}

} // namespace dprof
