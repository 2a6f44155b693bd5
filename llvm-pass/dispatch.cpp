// Stage: plugin. Gives a function two bodies: the one that records, and a plain copy for programs that are not
// recorded.
#include "dispatch.h"
#include "version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace dprof {

namespace {

// "name:" at the start of a statement: a second copy would define the symbol twice. Numeric labels may be repeated.
bool definesSymbol(StringRef Assembly) {
  SmallVector<StringRef, 8> Lines, Statements;
  Assembly.split(Lines, '\n');
  for (StringRef Line : Lines) Line.split(Statements, ';', -1, false);
  for (StringRef Statement : Statements) {
    StringRef Word =
        Statement.ltrim().take_while([](char C) { return isAlnum(C) || C == '_' || C == '.' || C == '$'; });
    bool IsLabel =
        !Word.empty() && !isDigit(Word.front()) && Statement.ltrim().drop_front(Word.size()).starts_with(":");
    if (IsLabel && !Statement.contains("${:uid}")) return true;
  }
  return Assembly.contains(".globl") || Assembly.contains(".set ");
}

} // namespace

StringRef reasonAgainstCopy(const Function &F) {
  if (F.isPresplitCoroutine()) return "coroutine";
  for (const BasicBlock &Block : F)
    if (Block.hasAddressTaken()) return "address of a label";
  for (const Instruction &I : instructions(F)) {
    if (isa<IndirectBrInst>(I) || isa<CallBrInst>(I)) return "computed goto";
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call) continue;
    if (Call->cannotDuplicate()) return "call that must not be duplicated";
    if (Call->isConvergent()) return "convergent call";
    auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
    if (Asm && definesSymbol(Asm->getAsmString())) return "inline assembly that defines a symbol";
    if (Call->getIntrinsicID() == Intrinsic::localescape) return "escaped frame";
  }
  return "";
}

namespace {

SmallVector<AllocaInst *, 8> stackVariables(Function &F) {
  SmallVector<AllocaInst *, 8> Variables;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && Variable->isStaticAlloca())
      Variables.push_back(Variable);
  return Variables;
}

// The variables and their debug records move before the function's two bodies.
void share(ArrayRef<AllocaInst *> Variables, BasicBlock &Body, Instruction *Before) {
  for (AllocaInst *Variable : Variables) Variable->moveBefore(Before);
  for (VariableRecord *Record : recordsIn(Body)) {
    auto *Variable = declares(*Record) && Record->getNumVariableLocationOps() == 1
                         ? dyn_cast_or_null<AllocaInst>(Record->getVariableLocationOp(0))
                         : nullptr;
    if (is_contained(Variables, Variable)) moveRecord(*Record, Before);
  }
}

// Drops the debug records of variables. Only debuggers need them, and the plain body has them; a second copy takes a
// tenth of the code generator's time.
void forgetValues(ArrayRef<BasicBlock *> Body) {
  for (BasicBlock *Block : Body) forgetRecords(*Block);
}

} // namespace

BasicBlock *addDormantBody(Function &F, GlobalVariable *Active, ValueToValueMapTy &Copies) {
  LLVMContext &C = F.getContext();
  BasicBlock &Body = F.getEntryBlock();
  SmallVector<BasicBlock *, 32> Blocks;
  for (BasicBlock &Block : F) Blocks.push_back(&Block);

  SmallVector<AllocaInst *, 8> Variables = stackVariables(F);
  BasicBlock *Front = BasicBlock::Create(C, "", &F, &Body);
  useRecordsOf(*Front, Body);
  IRBuilder<> Build(Front);
  if (DISubprogram *Subprogram = F.getSubprogram())
    Build.SetCurrentDebugLocation(DILocation::get(C, Subprogram->getScopeLine(), 0, Subprogram));
  LoadInst *IsActive = Build.CreateLoad(Build.getInt8Ty(), Active);
  Value *Records = Build.CreateICmpNE(IsActive, Build.getInt8(0));
  BranchInst *Choice = Build.CreateCondBr(Records, &Body, &Body, MDBuilder(C).createBranchWeights(1, 1000));
  share(Variables, Body, IsActive);

  SmallVector<BasicBlock *, 32> Copied;
  for (BasicBlock *Block : Blocks) {
    BasicBlock *Copy = CloneBasicBlock(Block, Copies, ".plain", &F);
    Copies[Block] = Copy;
    Copied.push_back(Copy);
  }
  auto Flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  for (BasicBlock *Copy : Copied)
    for (Instruction &I : *Copy) {
      remapRecords(I, Copies, Flags);
      RemapInstruction(&I, Copies, Flags);
    }
  forgetValues(Blocks);
  Choice->setSuccessor(1, Copied.front());
  return Front;
}

} // namespace dprof
