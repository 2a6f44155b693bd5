// Stage: replay, the second of three. The caches of one plain core: long runs of plain hits are looked up in a loop of
// their own.
#include "caches/cache_stage.h"

namespace dprof {

template <bool WideLines> void CacheStage::lookUpOnOneCore(ReferenceBatch &batch) {
  const unsigned granulesShift = granulesShift_;
  const Reference *const references = batch.references.data();
  const uint32_t lineMask = lineMask_;
  const Shape *const shapes = shapes_.data();
  const uint16_t *blockBytes = batch.blockBytes.data();
  auto sizeOf = [&blockBytes, shapes](const Reference &reference) -> uint32_t {
    if (reference.size != SIZE_BY_SLOT) [[likely]]
      return 1u << reference.size;
    Shape shape = shapes[reference.slot];
    return shape.isBlock ? *blockBytes++ : shape.size;
  };
  auto hit = [&](const Reference &reference, CoreLine &line, uint32_t id) {
    uint32_t size = sizeOf(reference), first = static_cast<uint32_t>(reference.address) & lineMask;
    if constexpr (WideLines)
      lineUse_.use(0, id, first, size);
    else
      line.use(first, size);
  };
  auto take = [&](uint32_t at, uint32_t id, uint32_t first, uint32_t size, bool isPiece) {
    uint32_t bits = hierarchy.reference<true>(hierarchy.core(0), id, references[at].store, first, size);
    note(batch, bits, {0, id, first, size});
    if (isPiece || (bits & ~outcome::STORE) != outcome::PLAIN) batch.outcomes.push_back({at, bits});
  };
  auto met = [&](uint32_t at) {
    const Reference &reference = references[at];
    take(at, reference.granule >> granulesShift, static_cast<uint32_t>(reference.address) & lineMask, sizeOf(reference),
         false);
  };
  const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
  uint32_t at = 0;
  auto lookTo = [&](uint32_t end) {
    for (; odd < oddEnd && odd->reference < end; odd++) {
      hierarchy.referenceAll(references, at, odd->reference, granulesShift, hit, met);
      at = odd->reference;
      uint32_t first = static_cast<uint32_t>(references[at].address) & lineMask, left = sizeOf(references[at]);
      for (uint32_t piece = odd->firstPiece; piece < odd->firstPiece + odd->pieces; piece++) {
        uint32_t size = std::min(left, lineMask + 1 - first);
        take(at, batch.pieces[piece] >> granulesShift, first, size, true);
        left -= size;
        first = 0;
      }
      at++;
    }
    hierarchy.referenceAll(references, at, end, granulesShift, hit, met);
    at = end;
  };
  for (LoopRun &run : batch.runs) {
    lookTo(run.before);
    lookUpRun(batch, run);
  }
  lookTo(batch.count);
  batch.outcomes.push_back({NO_INDEX, 0});
}

template void CacheStage::lookUpOnOneCore<false>(ReferenceBatch &);
template void CacheStage::lookUpOnOneCore<true>(ReferenceBatch &);

} // namespace dprof
