// Stage: plugin, "emit". The instructions that write paths into the thread's buffer (runtime/include/dprof/abi.h).
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
  llvm::FunctionCallee measure() const;

private:
  llvm::Module &M;
};

// The thread's cursor in a function. All functions share the cursor in memory; from path to path this function also
// keeps it in a register. If the next path loaded it from memory, the wait for the previous store would cost more than
// the path. The register is stale after every call that may record (signal handlers write to a buffer of their own).
class ThreadCursor {
public:
  ThreadCursor(const RuntimeSymbols &Runtime, llvm::Instruction *BodyBegin);
  llvm::Value *load(llvm::IRBuilder<> &Build);
  llvm::Value *loadLimit(llvm::IRBuilder<> &Build);
  void store(llvm::IRBuilder<> &Build, llvm::Value *Cursor);
  // As `load`, but from memory.
  llvm::Value *loadShared(llvm::IRBuilder<> &Build);
  // Brings the next time stamp forward as if `Bytes` more bytes had been written; a window counts them so.
  void spend(llvm::IRBuilder<> &Build, llvm::Value *Bytes);
  void refresh(llvm::IRBuilder<> &Build);
  void refreshAfter(llvm::CallBase &Call);
  // To be called after the last path.
  void promote(llvm::Function &F);

private:
  llvm::Value *Shared;
  llvm::AllocaInst *Own;
};

// The position of a path that is being written: its header word, and the words of its nodes by their level.
struct PathPlace {
  llvm::Value *Header = nullptr;
  llvm::Value *Word = nullptr;
  int Level = 0; // of the word at `Word`
};

// Writes paths: reserve, then the words one by one, then publish where a path ends.
class PathEmitter {
public:
  PathEmitter(const RuntimeSymbols &Runtime, ThreadCursor &Cursor) : Runtime(Runtime), Cursor(Cursor) {}

  // Begins a path before `First`, with words from `Level` on. `Ask`: words to make room for, which splits the block; 0
  // if there is room. `Spent`: bytes to be spent behind it, null for none; a time stamp that is due by then comes
  // before.
  PathPlace reserve(llvm::Instruction *First, unsigned Ask, unsigned Level, llvm::Value *Spent = nullptr);
  // Writes words there from now on.
  void seek(const PathPlace &Place, unsigned Level);
  void word(llvm::IRBuilder<> &Build, llvm::Value *Value);
  void slot(llvm::IRBuilder<> &Build, const AccessSlot &Slot, bool HasAddress); // without the stamp of an atomic
  llvm::Value *measured(llvm::IRBuilder<> &Build, const MeasuredBytes &Bytes) const;
  void stamp(llvm::IRBuilder<> &Build);
  void publish(llvm::IRBuilder<> &Build, const PathPlace &Place, llvm::Value *Header, unsigned EndLevel);
  static llvm::Value *at(llvm::IRBuilder<> &Build, const PathPlace &Place, unsigned Level);

private:
  const RuntimeSymbols &Runtime;
  ThreadCursor &Cursor;
  PathPlace Place;
  unsigned Next = 0;
};

// Builders around `I` that give new instructions a source position, because calls need one.
struct BuilderBefore : llvm::IRBuilder<> {
  explicit BuilderBefore(llvm::Instruction *I);
};
struct BuilderAfter : llvm::IRBuilder<> {
  explicit BuilderAfter(llvm::Instruction *I);
};

} // namespace dprof

#endif
