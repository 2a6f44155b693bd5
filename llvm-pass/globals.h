// Stage: plugin. Global and thread-local variables -> the sections that tell the runtime where they are.
#ifndef DPROF_PASS_GLOBALS_H
#define DPROF_PASS_GLOBALS_H

#include "statistics.h"
#include "unit_writer.h"
#include "llvm/IR/Module.h"

namespace dprof {

void describeGlobals(llvm::Module &M, UnitWriter &Unit, Statistics &Counts);

} // namespace dprof

#endif
