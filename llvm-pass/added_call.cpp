// Stage: plugin, "describe". A call of the runtime that is added beside a call of the program.
#include "added_call.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

Instruction *afterReturn(CallBase &Call) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    if (!Invoke->getNormalDest()->getSinglePredecessor()) SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
    return &*Invoke->getNormalDest()->getFirstInsertionPt();
  }
  return Call.isTerminator() || Call.isMustTailCall() ? nullptr : Call.getNextNode();
}

CallInst *addCall(IRBuilder<> &Build, StringRef Name, Type *Result, ArrayRef<Value *> Arguments) {
  SmallVector<Type *, 5> Types;
  for (Value *Argument : Arguments) Types.push_back(Argument->getType());
  LLVMContext &C = Build.getContext();
  auto Attributes = AttributeList::get(C, AttributeList::FunctionIndex,
                                       {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback});
  Module &M = *Build.GetInsertBlock()->getModule();
  return Build.CreateCall(M.getOrInsertFunction(Name, FunctionType::get(Result, Types, false), Attributes), Arguments);
}

} // namespace dprof
