// Stage: replay, the second of three. The caches of several cores, and of machines that are not plain: references are
// looked up one after the other.
#include <array>

#include "caches/cache_stage.h"

namespace dprof {

/// By whether stores are hits too, and by store and size of a reference: a bit for each of its bytes, from the lowest
/// on. 0: it is no such hit, or only its slot knows its size.
constexpr auto HIT_BYTES = [] {
  std::array<std::array<uint64_t, 64>, 2> of = {};
  for (uint32_t size = 0; size < SIZE_BY_SLOT; size++) {
    of[0][size] = of[1][size] = bytesOf((1u << size) - 1);
    of[1][32 | size] = of[0][size];
  }
  return of;
}();

/// Makes the core's references from `at` on that are plain hits of lines that it was also the last to reference.
/// Returns the first one that is not, or the end. Of several in a row to one line only the first changes more than the
/// bytes used.
uint32_t CacheStage::passHits(Hierarchy::Core &core, const Reference *references, uint32_t at, uint32_t end) {
  const unsigned granulesShift = granulesShift_;
  const uint32_t lineMask = lineMask_ & 63;
  while (at < end) {
    const Reference *next = references + at;
    const uint32_t line = next->granule >> granulesShift; // an odd access has no granule, and line 0 hits nothing
    if (!hierarchy->isHitAgain(core, line)) break;
    const uint64_t *const bytes = HIT_BYTES[hierarchy->mayStoreAgain(core, line)].data();
    uint64_t used = 0, own;
    const Reference *const first = next, *const last = references + end;
    while (next != last && next->granule >> granulesShift == line && (own = bytes[next->store << 5 | next->size])) {
      used |= own << (static_cast<uint32_t>(next->address) & lineMask);
      next++;
    }
    if (next == first) break;
    hierarchy->touch(core, line);
    core.lines[line].used |= used;
    at = static_cast<uint32_t>(next - references);
  }
  return at;
}

template <bool Whole> void CacheStage::lookUpOnManyCores(ReferenceBatch &batch) {
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  const uint16_t *blockBytes = batch.blockBytes.data();
  const Reference *const references = batch.references.data();
  const bool mayHitAgain = !hasWideLines_;
  for (size_t turn = 0; turn < batch.turns.size(); turn++) {
    TurnStart of = batch.turns[turn];
    uint32_t end = turn + 1 < batch.turns.size() ? batch.turns[turn + 1].reference : batch.count;
    Hierarchy::Core &core = hierarchy->core(of.core);
    for (uint32_t at = of.reference; at < end; at++) {
      if constexpr (!Whole) {
        at = mayHitAgain ? passHits(core, references, at, end) : at;
        if (at == end) break;
      }
      const Reference &reference = references[at];
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
  if (shard_.count && !isOwn_[access.line]) [[unlikely]]
    return hierarchy->pass(core, access.line);
  uint32_t bits, unit = core.number, cached = access.line; // the L1, and the line as its caches number it
  uint32_t first = static_cast<uint32_t>(access.address) & lineMask_;
  Aside aside{static_cast<uint32_t>(batch.outcomes.size()), NO_INDEX, NO_INDEX, 0};
  if constexpr (Whole) {
    bits = whole->reference(core.number, access.slot, access.address, access.size, access.store);
    aside.prefetches = whole->prefetches();
    unit = whole->l1Unit(core.number);
    cached = whole->line();
  } else {
    bits = hierarchy->reference(core, access.line, access.store, first, access.size);
  }
  Use use{unit, cached, first, access.size};
  bool moved = false;
  if constexpr (Whole) {
    if (hierarchy->events.empty())
      lineUse_.use(unit, cached, first, access.size);
    else
      moved = follow<true>(batch, use);
  } else {
    if (hasWideLines_) [[unlikely]]
      noteWide(batch, outcome::missClass(bits, 0) != HIT ? &batch.misses.back() : nullptr, use);
    if (!hierarchy->events.empty()) moved = follow<false>(batch, use);
  }
  CrossLine &line = hierarchy->cross(access.line);
  if (line.lastCore != core.number + 1) [[unlikely]] {
    if (line.lastCore) {
      bits |= outcome::TRANSFER | (access.orderBound || line.orderBound ? outcome::ORDER_BOUND : 0);
      if (!line.shared) line.shared = hierarchy->sharing.create();
      if constexpr (!Whole) hierarchy->core(line.lastCore - 1).lines[access.line].cameLast = 0;
    }
    if constexpr (!Whole) core.lines[access.line].cameLast = 1;
    line.lastCore = static_cast<uint8_t>(core.number + 1);
    line.orderBound = access.orderBound;
  }
  if (line.shared) lookUpShared<Whole>(core.number, line.shared, access, bits, aside);
  bool isSaid = aside.missed != NO_INDEX || aside.stored != NO_INDEX || aside.prefetches;
  if (isSaid) batch.asides.push_back(aside);
  if (isSaid || moved || access.isPiece || (bits & ~outcome::STORE) != outcome::PLAIN)
    batch.outcomes.push_back({access.reference, bits});
}

/// Looks up a line that a second core has referenced. The stores of others are those of another L1.
template <bool Whole>
void CacheStage::lookUpShared(uint32_t core, uint32_t line, const Access &access, uint32_t bits, Aside &aside) {
  uint32_t sharer = Whole ? whole->l1Unit(core) : core, first = static_cast<uint32_t>(access.address) & lineMask_,
           kind = outcome::missClass(bits, 0);
  if (kind == TRUE_SHARING || kind == FALSE_SHARING)
    aside.missed = hierarchy->sharing.lastStore(line, sharer, kind == TRUE_SHARING, first, access.size);
  if (kind != HIT || Whole)
    hierarchy->sharing.seen(line, sharer); // a line that was prefetched may have missed stores, and hit
  if (access.store)
    aside.stored = hierarchy->sharing.store(line, sharer, first, {access.address, access.size, access.slot});
}

template void CacheStage::lookUpOnManyCores<false>(ReferenceBatch &);
template void CacheStage::lookUpOnManyCores<true>(ReferenceBatch &);

} // namespace dprof
