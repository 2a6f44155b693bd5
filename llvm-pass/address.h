// Stage: plugin. An IR pointer -> the parts from which it is computed, so that two pointers a constant apart are
// recognised.
#ifndef DPROF_PASS_ADDRESS_H
#define DPROF_PASS_ADDRESS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Value.h"
#include <tuple>

namespace dprof {

// Base + offset + the sum of scale times index, each index extended to 64 bits.
struct Address {
  struct Term {
    llvm::Value *Index;
    bool IsUnsigned;
    uint64_t Scale;
    auto key() const { return std::tuple(Index, IsUnsigned, Scale); }
  };
  llvm::Value *Base;
  llvm::SmallVector<Term, 2> Terms; // sorted, no index twice
  uint64_t Offset = 0;

  explicit Address(llvm::Value *Pointer, const llvm::DataLayout &Layout);
  // All but the offset is the same; an order for maps.
  bool operator<(const Address &Other) const;

private:
  void add(llvm::Value *Index, uint64_t Scale, const llvm::DataLayout &Layout);
};

} // namespace dprof

#endif
