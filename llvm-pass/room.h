// Stage: plugin. Which regions must ask whether the buffer has room, and for how many words.
#ifndef DPROF_PASS_ROOM_H
#define DPROF_PASS_ROOM_H

#include "regions.h"

namespace dprof {

// Sets `Ask` of every root. A region that asks also asks for the regions that may follow it before the next call or the
// next round of a loop, so those need not ask again: the question is half the code of a small region.
void planRoom(const std::vector<BlockPieces> &Body, PathGraph &Graph);

} // namespace dprof

#endif
