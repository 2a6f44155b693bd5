// Stage: plugin, "describe". What an allocator or lock did -> calls of the runtime that note it.
#ifndef DPROF_PASS_NOTE_BUILDER_H
#define DPROF_PASS_NOTE_BUILDER_H

#include "allocators.h"
#include "llvm/IR/IRBuilder.h"

namespace dprof {

// What happened, as the caller has it or the function itself.
struct NotedCall {
  llvm::SmallVector<llvm::Value *, 8> Arguments;
  llvm::Value *Result; // null: there is none, or not yet
};

// Where the debug information says that the fields of a description lie.
struct NotedFields {
  FieldRead Size, Count, Pool, Name, Out;
  uint64_t Element = 0; // bytes of one in the description's table
};

class NoteBuilder {
public:
  NoteBuilder(llvm::Instruction *Before, llvm::DebugLoc Where, NotedCall Call)
      : Build(Before), Call(std::move(Call)), Where(std::move(Where)) {
    Build.SetCurrentDebugLocation(this->Where);
  }

  // `Bytes`: where no argument says the size. `Type` of what was handed out, if nothing names it; null: unknown.
  void give(const Allocator &What, const NotedFields &Fields, uint64_t Bytes, llvm::DIType *Type,
            const DebugTypes &Types);
  // What the function itself notes: what receives it, for a caller that can not say more.
  void receive(const Allocator &What, llvm::DIType *Type);
  // What another function notes: what receives it, or the type that its name tells; `Fields` null: they are unknown.
  void handOn(const Allocator &What, const NotedFields *Fields, llvm::DIType *Type, const DebugTypes &Types);
  void take(const Allocator &What, const NotedFields &Fields);
  void release(const Allocator &What);
  void acquire(const Allocator &What);
  llvm::CallInst *note(llvm::StringRef Name, llvm::Type *Result, llvm::ArrayRef<llvm::Value *> Arguments);
  llvm::Instruction *position() { return &*Build.GetInsertPoint(); }
  llvm::Value *isZero(llvm::Value *Number) { return Build.CreateIsNull(Number); }

private:
  struct Given {
    llvm::Value *Address, *Size, *Count, *Pool, *Old, *Succeeded;
  };

  llvm::Value *succeeded(Allocator::Success Succeeds);
  llvm::Value *address(llvm::Value *Pointer, const Allocator &What, const NotedFields &Fields);
  llvm::Value *read(const ArgumentPath &Path, const FieldRead &Field, llvm::Value *Guard);
  llvm::Value *number(const ArgumentPath &Path, const FieldRead &Field, llvm::Value *Guard, uint64_t Otherwise);
  llvm::Value *pointer(const ArgumentPath &Path, const FieldRead &Field, llvm::Value *Guard);
  llvm::Value *wide(llvm::Value *Number);
  llvm::Value *asPointer(llvm::Value *Address);
  llvm::Value *null();
  llvm::Value *global(llvm::StringRef Name, llvm::Type *Type);
  llvm::Value *beginLoop(llvm::Value *Count);
  llvm::BasicBlock *newBlock(llvm::BasicBlock &Before);
  // `Give` builds what is done with a type; its flag: the name told it.
  void forEachType(const Allocator &What, llvm::Value *Address, llvm::Value *Name, llvm::DIType *Type,
                   const DebugTypes &Types, llvm::function_ref<void(llvm::DIType *, bool)> Give);
  void received(llvm::DIType *Type, unsigned Of);
  void receivedUnlessNamed(llvm::DIType *Type);
  void giveOne(const Allocator &What, const Given &Now, llvm::DIType *Type);

  llvm::IRBuilder<> Build;
  NotedCall Call;
  llvm::DebugLoc Where;
};

} // namespace dprof

#endif
