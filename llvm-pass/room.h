// Stage: plugin. Which records must ask whether the buffer has room, and for how many words.
#ifndef DPROF_PASS_ROOM_H
#define DPROF_PASS_ROOM_H

#include "segments.h"

namespace dprof {

// Sets `Ask` of every record of the plan. A record that asks does so for what may follow it before the next call or the
// next round of a loop, and those records need not ask again: half the code of a small segment is the question.
void planRoom(llvm::Function &F, FunctionPlan &Plan);

} // namespace dprof

#endif
