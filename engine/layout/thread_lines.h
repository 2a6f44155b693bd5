// Stage: trace -> replay. Finds the lines that several threads refer to, before the replay that counts. Only those
// lines can have shared addresses, so only they take memory. docs/threads.md.
#pragma once

#include "base/page_map.h"
#include "batch/reference_batch.h"

namespace dprof {

class ThreadLines {
public:
  explicit ThreadLines(unsigned lineShift) : granulesShift_(lineShift - PageMap::granuleShift) {}

  /// Notes the line of the first byte of each access in the batch.
  void see(const ReferenceBatch &batch) {
    const OddAccess *odd = batch.odd.data(), *const oddEnd = odd + batch.odd.size();
    size_t next = 0;
    uint32_t thread = 0;
    for (uint32_t at = 0; at < batch.count; at++) {
      while (next < batch.threads.size() && batch.threads[next].reference <= at) thread = batch.threads[next++].thread;
      uint32_t granule = batch.references[at].granule;
      if (odd < oddEnd && odd->reference == at) {
        const OddAccess &access = *odd++;
        if (access.pieces == 0) continue;
        granule = batch.pieces[access.firstPiece];
      }
      see(granule >> granulesShift_, thread);
    }
  }
  bool isOfSeveral(uint32_t line) const { return threads_[line] == SEVERAL; }

private:
  static constexpr uint32_t SEVERAL = NO_INDEX;
  void see(uint32_t line, uint32_t thread) {
    if (line >= threads_.size()) threads_.resize(std::max<size_t>(line + 1, threads_.size() * 2));
    uint32_t &known = threads_[line];
    if (known == 0)
      known = thread + 1;
    else if (known != thread + 1)
      known = SEVERAL;
  }

  const unsigned granulesShift_;  // of a line
  std::vector<uint32_t> threads_; // by line: 1 + its only thread, 0: none
};

} // namespace dprof
