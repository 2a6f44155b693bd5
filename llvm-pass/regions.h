// Stage: plugin. The pieces of a function -> regions (runtime/include/dprof/unit_format.h), and the numbers of their
// paths.
#ifndef DPROF_PASS_REGIONS_H
#define DPROF_PASS_REGIONS_H

#include "pieces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace dprof {

struct PathEdge {
  unsigned Node;
  uint32_t Before; // path numbers before those of this edge
};

// A piece that has records, or at which ways meet.
struct PathNode {
  PathNode(llvm::BasicBlock *Block, Piece *Of) : Block(Block), Of(Of) {}
  llvm::BasicBlock *Block;
  Piece *Of;
  llvm::SmallVector<unsigned, 2> Sources; // nodes that a path may come from
  llvm::SmallVector<PathEdge, 2> Edges;
  bool Ends = false;    // a path may end here,
  bool EndsAll = false; // and all do
  uint32_t Paths = 0;   // from here on

  // The paths that begin here are a region of their own. If other paths pass through this node, `Entering` has the
  // terminators of the blocks from which the region's own paths come.
  bool IsRoot = false;
  llvm::SmallVector<llvm::Instruction *, 2> Entering;
  unsigned Words = 0; // of the longest path that begins here
  unsigned Ask = 0;   // words to ask room for; 0: there is room

  // The levels at which its words begin and end, on a scale that all paths share: a path's own words count from its
  // root's level.
  unsigned Level = 0, EndLevel = 0;

  bool isJoinedRoot() const { return IsRoot && !Sources.empty(); }
  uint32_t before(unsigned Node) const;
};

// An edge on which a path ends that could have gone on.
struct PathExit {
  llvm::Instruction *Terminator;
  llvm::BasicBlock *To;
  unsigned Node; // the last one of the path
};

// All regions of a function. They may share nodes: a join behind a branch with a call lies on the paths of the other
// branch, and is the root of those from behind the call.
struct PathGraph {
  std::vector<PathNode> Nodes; // topologically
  std::vector<PathExit> Exits;
  // By terminator of a block that paths leave: the node that was passed last (a block without records has no node of
  // its own), and the block's number.
  struct Way {
    unsigned Node, Block;
  };
  llvm::DenseMap<const llvm::Instruction *, Way> WayOut;
  // Numbers of the blocks that paths come to, in reverse post-order.
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Joined;
  // Edges to such blocks on which paths end nevertheless, because too many come.
  llvm::DenseSet<std::pair<const llvm::Instruction *, const llvm::BasicBlock *>> Cut;

  // Whether paths go on over the edge: it leads forwards, to a block that they come to, and is not cut.
  bool goesOn(const llvm::Instruction *Terminator, const llvm::BasicBlock *To) const;
  // The root and the nodes that its paths may pass, topologically.
  std::vector<unsigned> region(unsigned Root) const;
};

PathGraph findRegions(std::vector<BlockPieces> &Body);

} // namespace dprof

#endif
