// Stage: plugin. Decides where the words of each node stand in a path, and which addresses need no word because they
// are derived.
#ifndef DPROF_PASS_LAYOUT_H
#define DPROF_PASS_LAYOUT_H

#include "regions.h"

namespace dprof {

// Sets every node's levels, every root's words, and `Base` and delta of the slots that are derived.
void layOut(PathGraph &Graph, const llvm::DataLayout &Layout);

} // namespace dprof

#endif
