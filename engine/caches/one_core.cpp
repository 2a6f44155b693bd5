// Stage: replay, the second of three. The references of the only core of a plain machine go through its caches, which
// number pages, lines and granules: every granule of the batch is written here.
#include "caches/cache_stage.h"

namespace dprof {

template <bool WideLines> void CacheStage::lookUpOnOneCore(ReferenceBatch &batch) {
  batch.newPages.clear();
  lone->newPages = &batch.newPages;
  lone->beginBatch();
  Reference *const references = batch.references.data();
  const uint32_t lineMask = lineMask_;
  const Shape *const shapes = shapes_.data();
  const uint16_t *blockBytes = batch.blockBytes.data();
  auto sizeOf = [&blockBytes, shapes](const Reference &reference) -> uint32_t {
    if (reference.size != SIZE_BY_SLOT) [[likely]]
      return 1u << reference.size;
    Shape shape = shapes[reference.slot];
    return shape.isBlock ? *blockBytes++ : shape.size;
  };
  uint32_t at = 0;
  auto one = [&](Reference &reference) {
    LoneCore::Way *way;
    const uint32_t bits =
        lookUp<WideLines>(batch, batch.misses, reference.address, reference.store, sizeOf(reference), way);
    reference.granule = granuleIn(*way, reference.address);
    if (!isPlain(bits)) batch.outcomes.push_back({at, bits});
  };
  auto allTo = [&](uint32_t end) {
    for (;; at++) {
      if constexpr (!WideLines)
        at = static_cast<uint32_t>(lone->hits(references + at, references + end) - references);
      if (at == end) return;
      one(references[at]);
    }
  };
  auto odd = [&](const OddAccess &access) {
    const Reference &reference = references[at];
    uint64_t address = reference.address;
    uint32_t left = sizeOf(reference);
    for (uint32_t piece = access.firstPiece; piece < access.firstPiece + access.pieces; piece++) {
      const uint32_t size = std::min(left, lineMask + 1 - (static_cast<uint32_t>(address) & lineMask));
      LoneCore::Way *way;
      const uint32_t bits = lookUp<WideLines>(batch, batch.misses, address, reference.store, size, way);
      batch.pieces[piece] = granuleIn(*way, address);
      batch.outcomes.push_back({at, bits});
      address += size;
      left -= size;
    }
    at++;
  };
  const OddAccess *next = batch.odd.data(), *const oddEnd = next + batch.odd.size();
  auto lookTo = [&](uint32_t end) {
    for (; next < oddEnd && next->reference < end; next++) {
      allTo(next->reference);
      odd(*next);
    }
    allTo(end);
  };
  for (LoopRun &run : batch.runs) {
    lookTo(run.before);
    lookUpRun<WideLines>(batch, run);
  }
  lookTo(batch.count);
  batch.outcomes.push_back({NO_INDEX, 0});
}

template void CacheStage::lookUpOnOneCore<false>(ReferenceBatch &);
template void CacheStage::lookUpOnOneCore<true>(ReferenceBatch &);

} // namespace dprof
