// Stage: plugin, "describe". The variable or field that receives the result of a call.
#include "receivers.h"

#include "allocation_site.h"
#include "field_path.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include <cstdlib>
#include <memory>

using namespace llvm;

namespace dprof {

namespace {

constexpr char NotedReceivers[] = "dprof.receivers";
// A function hands the memory on to its caller, which receives it.
constexpr char HandedOn[] = "return";
constexpr unsigned MostSteps = 4;
constexpr unsigned MostValues = 64;

// The address that `I` computes from the one in `From`, as aligning and headers do; null if it is none.
Value *derived(Instruction &I, const Value &From) {
  if (auto *Address = dyn_cast<GetElementPtrInst>(&I)) return Address->getPointerOperand() == &From ? &I : nullptr;
  if (auto *Call = dyn_cast<IntrinsicInst>(&I))
    return Call->getIntrinsicID() == Intrinsic::ptrmask && Call->getArgOperand(0) == &From ? &I : nullptr;
  switch (I.getOpcode()) {
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Add:
    case Instruction::PHI:
    case Instruction::Select: return &I;
    case Instruction::Sub: return I.getOperand(0) == &From ? &I : nullptr;
    default: return nullptr;
  }
}

} // namespace

bool isHandedOn(Value &Memory) {
  SmallSetVector<Value *, 16> Holders; // of the memory's address: values, and variables whose value it is
  Holders.insert(&Memory);
  for (unsigned At = 0; At < Holders.size() && At < MostValues; ++At) {
    Value *Holder = Holders[At];
    bool IsVariable = isa<AllocaInst>(Holder);
    for (User *U : Holder->users()) {
      if (isa<ReturnInst>(U)) return !IsVariable;
      auto *I = dyn_cast<Instruction>(U);
      if (!I) continue;
      if (auto *Store = dyn_cast<StoreInst>(I); Store && !IsVariable && Store->getValueOperand() == Holder) {
        if (auto *To = dyn_cast<AllocaInst>(Store->getPointerOperand())) Holders.insert(To);
      } else if (IsVariable ? isa<LoadInst>(I) : derived(*I, *Holder) != nullptr) {
        Holders.insert(I);
      }
    }
  }
  return false;
}

namespace {

class Namer {
public:
  Namer(const Function &F, PlaceFinder &Places, const DebugTypes &Types) : F(F), Places(Places), Types(Types) {}

  std::string receiverOf(CallBase &Call) {
    auto Site = asAllocationCall(Call);
    if (Site && Site->OutArgument >= 0) return stored(*Call.getArgOperand(Site->OutArgument));
    if (Call.arg_size() && Call.paramHasAttr(0, Attribute::StructRet)) {
      TypeSize Bytes = Call.getModule()->getDataLayout().getTypeAllocSize(Call.getParamStructRetType(0));
      return object(*Call.getArgOperand(0), Bytes.getFixedValue());
    }
    if (Call.getType()->isPointerTy()) {
      std::string Name = receiverOf(Call, 0);
      if (!Name.empty()) return Name;
    }
    // A method that has memory of its own: its object is the one that the program names.
    return isMethod(Call) ? objectOf(Call) : "";
  }

private:
  static bool isMethod(const CallBase &Call, StringRef Of = "_ZN") {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName().starts_with(Of) && Call.arg_size() &&
           Call.getArgOperand(0)->getType()->isPointerTy();
  }

  std::string receiverOf(Value &Result, unsigned Depth) {
    for (User *U : Result.users()) {
      if (isa<ReturnInst>(U)) return handedOn();
      if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Result)
        if (std::string Name = stored(*Store->getPointerOperand()); !Name.empty()) return Name;
      // std::unique_ptr<double[]> p(new double[n]), p.reset(new double[n])
      if (auto *Taker = dyn_cast<CallBase>(U); Taker && isMethod(*Taker, "_ZNSt") && Taker->getArgOperand(0) != &Result)
        if (std::string Name = objectOf(*Taker); !Name.empty()) return Name;
      auto *I = dyn_cast<Instruction>(U);
      if (I && Depth < MostSteps && derived(*I, Result))
        if (std::string Name = receiverOf(*I, Depth + 1); !Name.empty()) return Name;
    }
    return "";
  }

  // The address is stored there: in a variable, a field, or an element of what the function returns.
  std::string stored(Value &To) {
    std::string Name = spell(&To, 0), Elements;
    Value *At = &To;
    for (unsigned Depth = 0; Depth < MostSteps; ++Depth) {
      if (auto *Variable = dyn_cast<AllocaInst>(At)) {
        std::string Handed = isHandedOn(*Variable) ? handedOn(Elements, Name) : "";
        return Handed.empty() ? Name : Handed;
      }
      // `a[i] = malloc(n)` stores behind the pointer in `a`.
      if (auto *Address = dyn_cast<GetElementPtrInst>(At); Address && Address->getNumIndices() == 1)
        At = Address->getPointerOperand();
      auto *Load = dyn_cast<LoadInst>(At);
      if (!Load) break;
      At = Load->getPointerOperand();
      Elements += "[]";
    }
    return Name;
  }

  std::string objectOf(const CallBase &Method) {
    return object(*Method.getArgOperand(0), Method.getParamDereferenceableBytes(0));
  }

  // The object of so many bytes that a method is called for, or that a call returns; of a temporary one, what it is
  // assigned to.
  std::string object(Value &Object, uint64_t Bytes) {
    if (auto *Result = dyn_cast<Argument>(&Object); Result && Result->hasStructRetAttr()) return HandedOn;
    if (!isa<AllocaInst>(Object) || declaredVariable(&Object)) return spell(&Object, 0, Bytes);
    for (User *U : Object.users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (Call && Call->arg_size() == 2 && Call->getArgOperand(1) == &Object && isMethod(*Call) && isAssignment(*Call))
        return objectOf(*Call);
    }
    return "";
  }

  static bool isAssignment(const CallBase &Call) {
    ItaniumPartialDemangler Demangler;
    if (Demangler.partialDemangle(Call.getCalledFunction()->getName().str().c_str())) return false;
    std::unique_ptr<char, void (*)(void *)> Base(Demangler.getFunctionBaseName(nullptr, nullptr), std::free);
    return Base && StringRef(Base.get()) == "operator=";
  }

  // "return" from a function whose result is memory: `void *`, `double *`, `char **`. A pointer to a struct is a thing
  // that the function made. With `Elements`, an element of it; with the name that the memory has here.
  std::string handedOn(StringRef Elements = "", StringRef Name = "") const {
    const DISubprogram *Own = F.getSubprogram();
    if (!Own || !Own->getType() || !Own->getType()->getTypeArray().size()) return "";
    DIType *Result = Types.strip(Own->getType()->getTypeArray()[0]);
    if (!DebugTypes::isPointer(Result)) return "";
    DIType *To = Types.withoutArrays(Types.pointee(Result));
    if (To && (DebugTypes::asRecord(To) || isa<DISubroutineType>(To))) return "";
    return (HandedOn + Elements + (Name.empty() ? "" : " ") + Name).str();
  }

  // "u", "grid.cells" of a variable; "cells" of a struct that a pointer leads to; "rows[]" behind a pointer.
  // `Bytes`: of the object there, if it is no pointer.
  std::string spell(Value *Pointer, unsigned Depth, uint64_t Bytes = 0) {
    const Place &At = Places.find(Pointer);
    std::string Path;
    DIType *Outer = Types.withoutArrays(At.Type);
    if (At.Type && DebugTypes::asRecord(Outer) && !(At.Variable && isWhole(Pointer))) {
      FieldQuery Query;
      uint64_t Size = Types.sizeBytes(Outer);
      Query.Offset = Types.element(At.Type) && Size ? At.Offset % Size : At.Offset;
      Query.Size = Bytes ? Bytes : 8;
      Query.IsBlock = Bytes;
      Query.Accessed = Pointer->getType();
      Query.Through = At.Through;
      Path = findField(Types, Outer, Query).Path;
      // The only member of its class is as large as that.
      if (Path.empty() && Bytes && isa<GetElementPtrInst>(Pointer) && !Query.Offset)
        for (DIDerivedType *Member : dataMembers(DebugTypes::asRecord(Outer)))
          if (Types.sizeBytes(Member->getBaseType()) == Bytes) Path = Member->getName().str();
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
