// Stage: replay. References of a batch, one after the other: those of one line, odd ones, and loops.
#include "caches/lone_lookups.h"

#include <algorithm>

#include "caches/lone_misses.h"

namespace dprof {

LoneLookups::LoneLookups(const Machine &machine, const Plans &plans)
    : Lookups(machine), lineMask_((1u << machine.lineShift) - 1), lineShift_(machine.lineShift), lineUse_(machine),
      hasWideLines_(lineUse_.words > 1), core_(machine, known) {
  for (const SlotPlan &slot : plans.slots) sizes_.push_back(isBlockKind(slot.kind) ? OF_BLOCK : slot.size);
  if (plans.kernelSlot != NO_INDEX) sizes_[plans.kernelSlot] = OF_BLOCK;
}

void LoneLookups::begin(ReferenceBatch &batch) {
  batch_ = &batch;
  batch.forgetOutcomes();
  batch.newPages.clear();
  core_.newPages = &batch.newPages;
  if (batch.begins) core_.totals = {};
  core_.beginBatch();
  at_ = odd_ = run_ = block_ = 0;
}

void LoneLookups::end(ReferenceBatch &batch) { batch.outcomes.push_back({NO_INDEX, 0}); }

uint32_t LoneLookups::meet(uint32_t at, uint64_t address, uint32_t reach, bool store) {
  return core_.isUsual ? meetUsual(at, address, reach, store) : meetOther(at, address, reach, store);
}

template <bool Usual>
[[gnu::always_inline]] inline uint32_t LoneLookups::meetHere(uint32_t at, uint64_t address, uint32_t reach,
                                                             bool store) {
  at_ = at;
  try {
    const LoneCore::Found found = core_.findHere<Usual>(address >> KnownHits::LINE_SHIFT, store, batch_->misses);
    const uint32_t bits = static_cast<uint32_t>(found.bits);
    found.way->used |= bytesOf(reach) << (static_cast<uint32_t>(address) & KnownHits::LINE_MASK);
    if (!isPlain(bits)) batch_->outcomes.push_back({at, bits});
    return found.way->granule;
  } catch (...) {
    takeBack(*batch_);
    throw;
  }
}

DPROF_WIDE uint32_t LoneLookups::meetUsual(uint32_t at, uint64_t address, uint32_t reach, bool store) {
  return meetHere<true>(at, address, reach, store);
}

DPROF_WIDE uint32_t LoneLookups::meetOther(uint32_t at, uint64_t address, uint32_t reach, bool store) {
  return meetHere<false>(at, address, reach, store);
}

void LoneLookups::fetch(const uint64_t *words, const uint64_t *end) const {
  for (uint64_t last = ~uint64_t{0}; words < end; words++) {
    const uint64_t line = *words >> KnownHits::LINE_SHIFT;
    if (line != last) core_.fetch(line);
    last = line;
  }
}

void LoneLookups::lookUp(ReferenceBatch &batch) {
  try {
    hasWideLines_ ? lookUpAll<true>(batch) : lookUpAll<false>(batch);
  } catch (...) {
    takeBack(batch);
    throw;
  }
}

template <bool WideLines> void LoneLookups::lookUpAll(ReferenceBatch &batch) {
  for (; run_ < batch.runs.size(); run_++) {
    lookUpTo<WideLines>(batch, batch.runs[run_].before);
    lookUpRun<WideLines>(batch, batch.runs[run_]);
  }
  lookUpTo<WideLines>(batch, batch.count);
}

template <bool WideLines> void LoneLookups::lookUpTo(ReferenceBatch &batch, uint32_t end) {
  while (at_ < end) {
    if (odd_ < batch.odd.size() && batch.odd[odd_].reference == at_) {
      lookUpOdd<WideLines>(batch, batch.odd[odd_++]);
    } else {
      Reference &reference = batch.references[at_];
      KnownLines::Way *way;
      const uint32_t bits =
          take<WideLines>(batch, batch.misses, reference.address, reference.store, sizeOf(batch, reference), way);
      reference.granule = granuleIn(*way, reference.address);
      if (!isPlain(bits)) batch.outcomes.push_back({at_, bits});
    }
    at_++;
  }
}

template <bool WideLines> void LoneLookups::lookUpOdd(ReferenceBatch &batch, const OddAccess &access) {
  const Reference &reference = batch.references[access.reference];
  uint64_t address = reference.address;
  uint32_t left = sizeOf(batch, reference);
  for (uint32_t piece = access.firstPiece; piece < access.firstPiece + access.pieces; piece++) {
    const uint32_t size = std::min(left, lineMask_ + 1 - (static_cast<uint32_t>(address) & lineMask_));
    KnownLines::Way *way;
    const uint32_t bits = take<WideLines>(batch, batch.misses, address, reference.store, size, way);
    batch.pieces[piece] = granuleIn(*way, address);
    batch.outcomes.push_back({access.reference, bits});
    address += size;
    left -= size;
  }
}

/// The reference at hand, or the loop, has a bad address. What comes before it is still counted, because that may fail
/// earlier.
void LoneLookups::takeBack(ReferenceBatch &batch) const {
  std::vector<Change> &changes = batch.changes;
  batch.count = at_;
  while (!changes.empty() && changes.back().before > at_) changes.pop_back();
  if (run_ == batch.runs.size()) return;
  if (const LoopRun &run = batch.runs[run_]; run.before == at_) // the loop's: those behind it come before reference at_
    while (changes.size() > run.changesBefore) changes.pop_back();
  batch.runs.resize(run_);
}

/// The line of the L1's victim, and its bytes that were touched.
void LoneLookups::beginWide(ReferenceBatch &batch, LineMiss &miss, uint32_t line) {
  if (const uint32_t victim = miss.victim[0]) {
    miss.left = batch.leftLines.size();
    batch.leftLines.push_back(core_.addressOf(victim));
    const uint64_t *used = lineUse_.of(0, victim);
    batch.leftLines.insert(batch.leftLines.end(), used, used + lineUse_.words);
  }
  lineUse_.begin(0, line);
}

} // namespace dprof
