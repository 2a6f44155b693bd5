// Stage: plugin. One function: plans its records, describes them, and emits its paths into a body that only recorded
// programs run.
#ifndef DPROF_PASS_FUNCTION_INSTRUMENTER_H
#define DPROF_PASS_FUNCTION_INSTRUMENTER_H

#include "debug_types.h"
#include "emitter.h"
#include "probes.h"
#include "selection.h"
#include "statistics.h"
#include "unit_writer.h"

namespace dprof {

// The parts that all functions of a translation unit share.
struct InstrumentationContext {
  const RuntimeSymbols &Runtime;
  UnitWriter &Unit;
  const DebugTypes &Types;
  Statistics &Counts;
  Selection &Chosen;
  llvm::GlobalVariable *Active; // the byte that says whether the process records
  Probes *Placed;               // null: nobody asked for blocks
};

// Returns whether there was anything to record.
bool instrumentFunction(llvm::Function &F, const InstrumentationContext &Context);

} // namespace dprof

#endif
