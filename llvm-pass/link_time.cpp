// Stage: plugin. Link-time optimisation: described when compiled, instrumented at the link under lld; nothing is
// instrumented twice.
#include "link_time.h"

#include "names.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cerrno>
#include <cstdlib>

using namespace llvm;

namespace dprof {

bool isLinker() { return StringRef(program_invocation_short_name).contains("lld"); }

When whenToInstrument(const Module &M, bool IsUnoptimised) {
  // Clang sets these before its passes run, and only where bitcode for a link is their result.
  bool IsFull = M.getModuleFlag("ThinLTO");
  bool IsThin = !IsFull && M.getModuleFlag("EnableSplitLTOUnit");
  if (!IsFull && !IsThin) return When::Now;
  const char *Wanted = std::getenv("DPROF_LTO");
  if (Wanted && StringRef(Wanted) == "compile") return When::NowBeforeLink;
  // No function is inlined out of unoptimised code, and the link may run no passes over it.
  return IsThin && IsUnoptimised ? When::NowBeforeLink : When::AtLink;
}

void leaveForLink(Module &M) {
  if (M.getNamedMetadata("dprof.instrumented")) return;
  auto *Byte = Type::getInt8Ty(M.getContext());
  auto *Needs =
      new GlobalVariable(M, Byte, /*isConstant=*/true, GlobalValue::ExternalLinkage, nullptr, names::NeedsLld);
  auto *Left = new GlobalVariable(M, Needs->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, Needs,
                                  names::LeftForLink);
  appendToUsed(M, {Left});
}

void takeBackFromLink(Module &M) {
  auto IsLeft = [](const Constant *C) {
    auto *G = dyn_cast<GlobalVariable>(C->stripPointerCasts());
    return G && G->getName().starts_with(names::LeftForLink);
  };
  removeFromUsedLists(M, [&](Constant *C) { return IsLeft(C); });
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (!IsLeft(&G)) continue;
    G.removeDeadConstantUsers();
    G.eraseFromParent();
  }
  if (GlobalVariable *Needs = M.getGlobalVariable(names::NeedsLld)) {
    Needs->removeDeadConstantUsers();
    Needs->eraseFromParent();
  }
}

// A function that only reads memory, or none, may be called once for twice, or not at all.
void forgetPurity(Module &M) {
  for (Function &F : M) {
    if (F.isIntrinsic()) continue;
    F.removeFnAttr(Attribute::Memory);
    F.removeFnAttr(Attribute::WillReturn);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call)) Call->removeFnAttr(Attribute::Memory);
  }
}

void noteEarlyInstrumentation(Module &M) { M.getOrInsertNamedMetadata("dprof.early"); }

bool wasInstrumentedEarly(const Module &M) { return M.getNamedMetadata("dprof.early") && !isLinker(); }

} // namespace dprof
