// Stage: plugin, "emit". A loop that is recorded once -> its region in the unit, and the instructions before and behind
// it that write its path.
#ifndef DPROF_PASS_LOOP_EMITTER_H
#define DPROF_PASS_LOOP_EMITTER_H

#include "emitter.h"
#include "loops.h"
#include "unit_writer.h"

namespace dprof {

// To be called after the paths around the loop are emitted: it begins where they have ended.
void emitLoop(LoopPlan &Loop, const llvm::Function &F, const RuntimeSymbols &Runtime, ThreadCursor &Cursor,
              UnitWriter &Unit, Statistics &Counts);

} // namespace dprof

#endif
