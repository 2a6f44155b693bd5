// Stage: plugin, "emit". -fdprof-blocks: which machine code a record stands for.
#include "probes.h"
#include "version.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PseudoProbe.h"
#include "llvm/Support/MD5.h"
#include <cstdlib>
#include <string_view>

using namespace llvm;

namespace dprof {

void Probes::begin(BasicBlock &Plain) {
  place(&*Plain.getFirstInsertionPt(), 0, uint32_t(PseudoProbeAttributes::Reserved));
}

void Probes::add(ArrayRef<RecordPlan> Records, bool BeginBlock, const ValueToValueMapTy &Copies) {
  const BasicBlock *Last = nullptr;
  for (const RecordPlan &Record : Records) {
    auto *Copy = dyn_cast_or_null<Instruction>(Copies.lookup(Record.Begin));
    if (!Copy) continue; // on an edge that was given a block of its own
    bool IsFirst = BeginBlock && Copy->getParent() != Last;
    Last = Copy->getParent();
    place(IsFirst ? &*Copy->getParent()->getFirstInsertionPt() : Copy, 1 + Record.Index, 0);
  }
}

void Probes::place(Instruction *Before, uint64_t Index, uint32_t Attributes) {
  if (isa<PHINode>(Before)) Before = &*Before->getParent()->getFirstInsertionPt();
  IRBuilder<> Build(Before);
  // Without a place in the source: a call inlined there would make it a probe of that call's function.
  Build.SetCurrentDebugLocation(DebugLoc());
  if (DISubprogram *Subprogram = Before->getFunction()->getSubprogram())
    Build.SetCurrentDebugLocation(DILocation::get(M.getContext(), 0, 0, Subprogram));
  Function *Probe = intrinsicOf(M, Intrinsic::pseudoprobe);
  Placed.push_back(Build.CreateCall(Probe, {Build.getInt64(0), Build.getInt64(Index), Build.getInt32(Attributes),
                                            Build.getInt64(PseudoProbeFullDistributionFactor)}));
}

void Probes::finish(StringRef Unit) {
  if (Placed.empty()) return;
  uint64_t Number = MD5Hash(Unit);
  for (CallInst *Probe : Placed) Probe->setArgOperand(0, ConstantInt::get(Type::getInt64Ty(M.getContext()), Number));
  // Without it the code generator leaves the section out.
  M.getOrInsertNamedMetadata(PseudoProbeDescMetadataName)->addOperand(probeDescriptor(M.getContext(), Number, "dprof"));
}

} // namespace dprof
