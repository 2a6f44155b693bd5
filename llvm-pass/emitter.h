// Stage: plugin, "emit". The instructions that write records into the thread's buffer (runtime/include/dprof/abi.h).
#ifndef DPROF_PASS_EMITTER_H
#define DPROF_PASS_EMITTER_H

#include "access.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace dprof {

// Every symbol of the runtime that instrumented code uses.
struct RuntimeSymbols {
  explicit RuntimeSymbols(llvm::Module &M);
  llvm::GlobalVariable *Thread; // struct dprof_thread_cursor
  llvm::FunctionCallee Refill, Stamp;
};

// Where a function keeps the thread's cursor: in memory for everyone, and in a register from record to record, for a store
// that the next record's load must wait for costs more than the record. Whoever else may have moved it makes it stale:
// every call (signal handlers write to a buffer of their own).
class ThreadCursor {
public:
  ThreadCursor(const RuntimeSymbols &Runtime, llvm::Instruction *BodyBegin);
  llvm::Value *load(llvm::IRBuilder<> &Build);
  llvm::Value *loadLimit(llvm::IRBuilder<> &Build);
  void store(llvm::IRBuilder<> &Build, llvm::Value *Cursor);
  void refresh(llvm::IRBuilder<> &Build);
  void refreshAfter(llvm::CallBase &Call);
  // After the last record.
  void promote(llvm::Function &F);

private:
  llvm::Value *Shared;
  llvm::AllocaInst *Own;
};

// Writes one record: reserve, then the words one by one, then publish.
class RecordEmitter {
public:
  // `Ask`: words to make room for, 0 if it is there; else splits the block before `First`.
  RecordEmitter(const RuntimeSymbols &Runtime, ThreadCursor &Cursor, unsigned Words, unsigned Ask, llvm::Instruction *First);

  void word(llvm::IRBuilder<> &Build, llvm::Value *Value);
  void slot(llvm::IRBuilder<> &Build, const AccessSlot &Slot); // without the stamp of an atomic
  void stamp(llvm::IRBuilder<> &Build);
  void publish(llvm::IRBuilder<> &Build, llvm::Constant *Record);

private:
  llvm::Value *at(llvm::IRBuilder<> &Build, unsigned Index);

  const RuntimeSymbols &Runtime;
  ThreadCursor &Cursor;
  llvm::Value *Room = nullptr;
  unsigned Words, Next = 1;
};

// Builders around `I` that give what they make a source position, as calls need one.
struct BuilderBefore : llvm::IRBuilder<> {
  explicit BuilderBefore(llvm::Instruction *I);
};
struct BuilderAfter : llvm::IRBuilder<> {
  explicit BuilderAfter(llvm::Instruction *I);
};

} // namespace dprof

#endif
