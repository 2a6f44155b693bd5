// Stage: plugin, "describe". The variable or field that receives the result of a call.
#include "receivers.h"

#include "allocation_site.h"
#include "field_path.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace dprof {

namespace {

constexpr char NotedReceivers[] = "dprof.receivers";
constexpr unsigned MostSteps = 4;

class Namer {
public:
  Namer(const Function &F, PlaceFinder &Places, const DebugTypes &Types) : F(F), Places(Places), Types(Types) {}

  std::string receiverOf(CallBase &Call) {
    auto Site = asAllocationCall(Call);
    if (Site && Site->OutArgument >= 0) return spell(Call.getArgOperand(Site->OutArgument), 0);
    if (Call.getType()->isPointerTy()) {
      std::string Name = receiverOf(Call, 0);
      if (!Name.empty()) return Name;
    }
    // A method that has memory of its own: its object is the one that the program names.
    const Function *Callee = Call.getCalledFunction();
    bool IsMethod = Callee && Callee->getName().starts_with("_ZN") && Call.arg_size();
    return IsMethod && Call.getArgOperand(0)->getType()->isPointerTy() ? spell(Call.getArgOperand(0), 0) : "";
  }

private:
  std::string receiverOf(Value &Result, unsigned Depth) {
    for (User *U : Result.users()) {
      if (isa<ReturnInst>(U)) return returned();
      if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Result) {
        Value *To = Store->getPointerOperand();
        if (isReturned(To) && returned() == "return") return returned();
        if (std::string Name = spell(To, 0); !Name.empty()) return Name;
      }
      if ((isa<PHINode>(U) || isa<SelectInst>(U)) && Depth < MostSteps)
        if (std::string Name = receiverOf(*U, Depth + 1); !Name.empty()) return Name;
    }
    return "";
  }

  // Whether the variable there is what the function returns, at once or by the unnamed variable in which clang collects
  // the results of several returns.
  static bool isReturned(Value *Variable, unsigned Depth = 0) {
    if (!isa<AllocaInst>(Variable) || Depth > 1) return false;
    return any_of(Variable->users(), [&](User *Load) {
      return isa<LoadInst>(Load) && any_of(Load->users(), [&](User *U) {
               auto *Store = dyn_cast<StoreInst>(U);
               return isa<ReturnInst>(U) ||
                      (Store && Store->getValueOperand() == Load && !declaredVariable(Store->getPointerOperand()) &&
                       isReturned(Store->getPointerOperand(), Depth + 1));
             });
    });
  }

  // "return" from a function whose result says no type.
  std::string returned() const {
    const DISubprogram *Own = F.getSubprogram();
    if (!Own || !Own->getType() || !Own->getType()->getTypeArray().size()) return "";
    DIType *Result = Types.strip(Own->getType()->getTypeArray()[0]);
    if (!DebugTypes::isPointer(Result)) return "";
    DIType *To = Types.pointee(Result);
    return !To || (isa<DIBasicType>(To) && Types.sizeBytes(To) == 1) ? "return" : "";
  }

  // "u", "grid.cells" of a variable; "cells" of a struct that a pointer leads to; "rows[]" behind a pointer.
  std::string spell(Value *Pointer, unsigned Depth) {
    const Place &At = Places.find(Pointer);
    std::string Path;
    DIType *Outer = Types.withoutArrays(At.Type);
    if (At.Type && DebugTypes::asRecord(Outer) && !(At.Variable && isWhole(Pointer))) {
      FieldQuery Query;
      uint64_t Size = Types.sizeBytes(Outer);
      Query.Offset = Types.element(At.Type) && Size ? At.Offset % Size : At.Offset;
      Query.Size = 8;
      Query.Accessed = Pointer->getType();
      Query.Through = At.Through;
      Path = findField(Types, Outer, Query).Path;
    }
    if (At.Variable) return At.Variable->getName().str() + (Path.empty() ? "" : "." + Path);
    if (!Path.empty() || Depth == MostSteps) return Path;
    bool IsElement = isa<GetElementPtrInst>(Pointer);
    while (auto *Address = dyn_cast<GetElementPtrInst>(Pointer)) Pointer = Address->getPointerOperand();
    auto *Load = dyn_cast<LoadInst>(Pointer);
    std::string From = Load ? spell(Load->getPointerOperand(), Depth + 1) : "";
    // `*out = malloc(n)`: the callee's parameter.
    return From.empty() || From == "this" ? "" : IsElement ? From + "[]" : "*" + From;
  }

  static bool isWhole(Value *Pointer) { return isa<AllocaInst>(Pointer); }

  const Function &F;
  PlaceFinder &Places;
  const DebugTypes &Types;
};

} // namespace

void Receivers::note(CallBase &Call, PlaceFinder &Places, const DebugTypes &Types) {
  DILocation *Where = Call.getDebugLoc();
  if (!Where || Where->getInlinedAt() || isa<IntrinsicInst>(Call) || Call.isInlineAsm()) return;
  std::string Name = Namer(*Call.getFunction(), Places, Types).receiverOf(Call);
  if (Name.empty()) return;
  Module &M = *Call.getModule();
  LLVMContext &C = M.getContext();
  M.getOrInsertNamedMetadata(NotedReceivers)->addOperand(MDNode::get(C, {Where, MDString::get(C, Name)}));
}

Receivers::Receivers(const Module &M) {
  NamedMDNode *Notes = M.getNamedMetadata(NotedReceivers);
  if (!Notes) return;
  for (const MDNode *Note : Notes->operands()) {
    auto *Where = cast<DILocation>(Note->getOperand(0));
    Key Place(Where->getScope()->getSubprogram(), Where->getLine(), Where->getColumn());
    Known.try_emplace(Place, cast<MDString>(Note->getOperand(1))->getString());
  }
}

StringRef Receivers::of(const DILocation &Where) const {
  auto Found = Known.find({Where.getScope()->getSubprogram(), Where.getLine(), Where.getColumn()});
  return Found == Known.end() ? "" : Found->second;
}

} // namespace dprof
