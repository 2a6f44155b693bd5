// Stage: plugin, "describe". Adds a call of the runtime beside each call of the program's own allocators. The added
// call stays when the optimiser has inlined them.
#ifndef DPROF_PASS_ALLOCATOR_NOTES_H
#define DPROF_PASS_ALLOCATOR_NOTES_H

#include "allocators.h"
#include "describe.h"
#include "note_builder.h"

namespace dprof {

// Finds the allocator calls of a function (`look`) while the function is still as in the source; `insert` changes it.
class AllocatorNotes {
public:
  AllocatorNotes(Allocators &Known, const DebugTypes &Types) : Known(Known), Types(Types) {}
  void look(llvm::CallBase &Call, Describer &Describe);
  // Adds the notes that were looked for, and those of `F` itself for callers that are not seen.
  void insert(llvm::Function &F);

private:
  struct Found {
    llvm::CallBase *Call;
    const Allocator *What; // null: an outer function notes what this call hands out
    llvm::DIType *Type;
    std::optional<NotedFields> Fields; // none: only the function itself can note what it hands out
  };
  llvm::DIType *typeOf(llvm::CallBase &Call, const Allocator &What, const NotedFields *Fields,
                       Describer &Describe) const;
  uint64_t bytesOf(const Allocator &What, llvm::DIType *Type) const;
  std::optional<NotedFields> fieldsOf(const Allocator &What, const llvm::Function &F,
                                      llvm::ArrayRef<llvm::Value *> Passed, PlaceFinder *Places);
  bool isPassedOn(llvm::CallBase &Call, const Allocator &What);
  bool lacksSize(const Allocator &What, llvm::DIType *Type) const;
  void note(NoteBuilder &At, const Allocator &What, const NotedFields &Fields, llvm::DIType *Type) const;
  bool insertOne(const Found &Note);
  void insertInside(llvm::Function &F, const Allocator &What);

  Allocators &Known;
  const DebugTypes &Types;
  std::vector<Found> Notes;
};

} // namespace dprof

#endif
