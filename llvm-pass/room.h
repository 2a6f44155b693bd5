// Stage: plugin. Which regions must ask whether the buffer has room, and for how many words.
#ifndef DPROF_PASS_ROOM_H
#define DPROF_PASS_ROOM_H

#include "regions.h"

namespace dprof {

// Sets `Ask` of every root. A region that asks does so for what may follow it before the next call or the next round of
// a loop, and those regions need not ask again: half the code of a small region is the question.
void planRoom(const std::vector<BlockPieces> &Body, PathGraph &Graph);

} // namespace dprof

#endif
