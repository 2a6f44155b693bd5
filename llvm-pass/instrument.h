// Stage: plugin. One translation unit: decides per function, describes its accesses, emits their records.
#ifndef DPROF_PASS_INSTRUMENT_H
#define DPROF_PASS_INSTRUMENT_H

#include "llvm/IR/Module.h"

namespace dprof {

// Gives whether the module changed.
bool instrumentModule(llvm::Module &M);

} // namespace dprof

#endif
