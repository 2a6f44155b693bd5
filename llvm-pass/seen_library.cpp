// Stage: plugin, "decide". Whether the program's C library records itself, and what follows from it.
#include "seen_library.h"

#include "string_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include <cstdlib>

using namespace llvm;

namespace dprof {

CLibrary cLibrary() {
  static const CLibrary Known = [] {
    const char *Said = std::getenv("DPROF_LIBC");
    return StringSwitch<CLibrary>(Said ? Said : "")
        .Case("seen", CLibrary::Seen)
        .Case("itself", CLibrary::Itself)
        .Default(CLibrary::Unseen);
  }();
  return Known;
}

bool becomesLibraryCall(const Instruction &I) {
  if (I.getOpcode() == Instruction::FRem) return true; // fmod
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call) return false;
  // By name: not every LLVM has all of them.
  StringRef Name = Call->getCalledFunction()->getName();
  Name.consume_front("llvm.");
  Name = Name.split('.').first;
  return StringSwitch<bool>(Name)
      .Cases("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", true)
      .Cases("sincos", "exp", "exp2", "exp10", "log", "log2", "log10", "pow", "powi", true)
      .Cases("fma", "ldexp", "frexp", "modf", "minnum", "maxnum", true)
      .Cases("floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven", true)
      .Cases("lrint", "llrint", "lround", "llround", true)
      .Default(false);
}

unsigned jumpBufferBytes(StringRef Callee, bool &IsStore) {
  IsStore = StringSwitch<bool>(Callee)
                .Cases("setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", true)
                .Default(false);
  return IsStore || Callee == "longjmp" || Callee == "_longjmp" ? 8 * sizeof(void *) : 0;
}

namespace {

Function *seenTwin(Function &F) {
  Module &M = *F.getParent();
  std::string Name = ("__seen_" + F.getName()).str();
  auto *Twin = Function::Create(F.getFunctionType(), GlobalValue::LinkOnceODRLinkage, Name, M);
  Twin->setVisibility(GlobalValue::HiddenVisibility);
  Twin->setComdat(M.getOrInsertComdat(Name));
  SmallVector<Value *, 4> Arguments;
  for (Argument &A : Twin->args()) Arguments.push_back(&A);
  IRBuilder<> Build(BasicBlock::Create(M.getContext(), "", Twin));
  CallInst *Call = Build.CreateCall(&F, Arguments);
  if (F.getReturnType()->isVoidTy())
    Build.CreateRetVoid();
  else
    Build.CreateRet(Call);
  return Twin;
}

} // namespace

void giveAddressesOfSeen(Module &M) {
  SmallVector<Function *, 4> Taken;
  for (Function &F : M) {
    bool IsDescribed = isStringFunction(F) || isBlockFunction(F);
    bool IsTaken = any_of(F.uses(), [](const Use &U) {
      auto *Call = dyn_cast<CallBase>(U.getUser());
      return !(Call && Call->isCallee(&U)) && !isa<GlobalAlias>(U.getUser());
    });
    if (IsDescribed && IsTaken) Taken.push_back(&F);
  }
  for (Function *F : Taken) {
    SmallVector<CallBase *, 16> Calls;
    SmallVector<GlobalAlias *, 4> Aliases;
    for (Use &U : F->uses()) {
      auto *Call = dyn_cast<CallBase>(U.getUser());
      if (Call && Call->isCallee(&U)) Calls.push_back(Call);
      if (auto *Alias = dyn_cast<GlobalAlias>(U.getUser())) Aliases.push_back(Alias);
    }
    Function *Twin = seenTwin(*F);
    CallBase *Own = cast<CallBase>(&Twin->getEntryBlock().front());
    F->replaceAllUsesWith(Twin);
    Own->setCalledOperand(F);
    for (CallBase *Call : Calls) Call->setCalledOperand(F);
    for (GlobalAlias *Alias : Aliases) Alias->setAliasee(F);
  }
}

} // namespace dprof
