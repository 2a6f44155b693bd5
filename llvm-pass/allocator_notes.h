// Stage: plugin, "describe". Calls of the program's own allocators -> a call of the runtime beside each, which stays
// when the optimiser has inlined them.
#ifndef DPROF_PASS_ALLOCATOR_NOTES_H
#define DPROF_PASS_ALLOCATOR_NOTES_H

#include "allocators.h"
#include "describe.h"

namespace dprof {

// What a function's calls are, found while it is as the source has it; `insert` changes it.
class AllocatorNotes {
public:
  AllocatorNotes(Allocators &Known, const DebugTypes &Types) : Known(Known), Types(Types) {}
  void look(llvm::CallBase &Call, Describer &Describe);
  void insert();

private:
  struct Found {
    llvm::CallBase *Call;
    const Allocator *What;
    llvm::DIType *Type;
  };
  llvm::DIType *typeOf(llvm::CallBase &Call, const Allocator &What, Describer &Describe) const;
  void insertOne(const Found &Note);

  Allocators &Known;
  const DebugTypes &Types;
  std::vector<Found> Notes;
};

} // namespace dprof

#endif
