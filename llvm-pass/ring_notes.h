// Stage: plugin, "describe". io_uring: adds a call of the runtime where the program makes a ring, submits requests, and
// looks at completions: at functions of liburing, at system calls, and where it loads or stores what may be a ring's
// tail.
#ifndef DPROF_PASS_RING_NOTES_H
#define DPROF_PASS_RING_NOTES_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace dprof {

class RingNotes {
public:
  explicit RingNotes(llvm::Module &M);
  // Finds the places in a function (`look`) before `insert` changes it.
  void look(llvm::Instruction &I);
  void insert();

private:
  bool KnowsRings = false; // only a module that knows the types of io_uring may touch a ring
  std::vector<llvm::Instruction *> Found;
};

// The call makes a ring or submits requests, and no call of the runtime could be added beside it.
bool passesRingUnseen(const llvm::CallBase &Call);

} // namespace dprof

#endif
