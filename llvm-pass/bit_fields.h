// Stage: plugin. Which bit of its storage a bit-field access is about.
#ifndef DPROF_PASS_BIT_FIELDS_H
#define DPROF_PASS_BIT_FIELDS_H

#include "llvm/IR/Instruction.h"
#include <optional>

namespace dprof {

// First bit of the field that a load extracts or a store inserts, from the shifts and masks around it; none if there
// are none.
std::optional<uint64_t> firstBitUsed(const llvm::Instruction &Access);

} // namespace dprof

#endif
