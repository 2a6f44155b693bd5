// Stage: plugin, "describe". Finds the type, field and variable of an access.
#include "describe.h"

#include "allocation_site.h"
#include "allocator_notes.h"
#include "bit_fields.h"
#include "field_path.h"
#include "parallel_regions.h"
#include "receivers.h"
#include "ring_notes.h"
#include "system_files.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace dprof {

// A piece is !{type, i64 offset or null, !"path", variable, leaf type}.

void attachDescription(Instruction &I, ArrayRef<Description> Pieces) {
  LLVMContext &C = I.getContext();
  SmallVector<Metadata *, 2> Nodes;
  for (const Description &D : Pieces) {
    Metadata *Offset = nullptr;
    if (D.Offset) Offset = ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(C), *D.Offset));
    Nodes.push_back(MDNode::get(C, {D.Type, Offset, MDString::get(C, D.Path), D.Variable, D.Leaf}));
  }
  I.setMetadata("dprof", MDNode::get(C, Nodes));
}

SmallVector<Description, 2> readDescription(const Instruction &I) {
  SmallVector<Description, 2> Pieces;
  MDNode *Node = I.getMetadata("dprof");
  if (!Node) return Pieces;
  for (const MDOperand &Operand : Node->operands()) {
    auto *Piece = cast<MDNode>(Operand.get());
    Description &D = Pieces.emplace_back();
    D.Type = cast_or_null<DIType>(Piece->getOperand(0).get());
    if (auto *Offset = mdconst::extract_or_null<ConstantInt>(Piece->getOperand(1))) D.Offset = Offset->getZExtValue();
    D.Path = cast<MDString>(Piece->getOperand(2))->getString();
    D.Variable = cast_or_null<DIVariable>(Piece->getOperand(3).get());
    D.Leaf = cast_or_null<DIType>(Piece->getOperand(4).get());
  }
  return Pieces;
}

void removeDescriptions(Function &F) {
  for (Instruction &I : instructions(F)) I.setMetadata("dprof", nullptr);
}

Description Describer::atPlace(const Place &P, const AccessSlot &Slot, std::optional<uint64_t> Bit) {
  Description D;
  D.Variable = P.Variable;
  if (!P.Type) return D;
  DIType *Outer = Types.withoutArrays(P.Type);
  uint64_t OuterSize = Types.sizeBytes(Outer);
  FieldQuery Query;
  Query.Offset = P.Offset;
  if (Types.element(P.Type) && OuterSize) Query.Offset %= OuterSize;
  Query.IsBlock = Slot.isBlock();
  if (Slot.SizeBytes != DPROF_SIZE_DYNAMIC) Query.Size = Slot.SizeBytes;
  Query.Accessed = Slot.Accessed;
  Query.Through = P.Through;
  Query.Bit = Bit;
  D.Type = Outer;
  bool IsAnyOfThem = Slot.Index; // how far from the base, only the run says
  if (IsAnyOfThem && DebugTypes::asRecord(Outer)) return D;
  if (!DebugTypes::asRecord(Outer)) {
    D.Leaf = Outer;
    D.Offset = 0;
    return D;
  }
  Field Found = findField(Types, Outer, Query);
  D.Offset = Query.Offset;
  D.Path = std::move(Found.Path);
  D.Leaf = Found.Type;
  return D;
}

Description Describer::early(const Instruction &I, const AccessSlot &Slot) {
  return atPlace(Places.find(Slot.Pointer), Slot, firstBitUsed(I));
}

Description Describer::fromTbaa(const Instruction &I, const AccessSlot &Slot) {
  Description D;
  MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3 || Slot.isBlock()) return D;
  auto *Base = dyn_cast<MDNode>(Tag->getOperand(0));
  auto *Name = Base && Base->getNumOperands() ? dyn_cast<MDString>(Base->getOperand(0)) : nullptr;
  auto *Offset = mdconst::dyn_extract<ConstantInt>(Tag->getOperand(2));
  DICompositeType *Record = Name ? Types.forTbaa(Name->getString()) : nullptr;
  if (!Record || !Offset) return D;
  Place P{Record, int64_t(Offset->getZExtValue()), nullptr, {}};
  return atPlace(P, Slot, std::nullopt);
}

Description Describer::late(const Instruction &I, const AccessSlot &Slot, unsigned Piece) {
  if (Slot.IsArgument) return atPlace(Places.find(Slot.Pointer), Slot, std::nullopt);
  SmallVector<Description, 2> Pieces = readDescription(I);
  Description Own = Piece < Pieces.size() ? Pieces[Piece] : Description();
  if (DebugTypes::asRecord(Own.Type)) return Own;
  Description Tagged = fromTbaa(I, Slot);
  if (Tagged.Type) {
    Tagged.Variable = Own.Variable;
    return Tagged;
  }
  if (Own.Type && Own.Variable) return Own;
  Description Found = atPlace(Places.find(Slot.Pointer), Slot, std::nullopt);
  bool IsBetter = !Own.Type || Found.Variable || (!readDescription(I).size() && Found.Type);
  return IsBetter && (Found.Type || Found.Variable) ? Found : Own;
}

StringRef Describer::scalarName(const Instruction &I, const AccessSlot &Slot) {
  MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  if (!Tag || Tag->getNumOperands() < 3 || Slot.isBlock()) return "";
  auto *Access = dyn_cast<MDNode>(Tag->getOperand(1));
  auto *Name = Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  if (!Name) return "";
  StringRef Text = Name->getString();
  bool IsPointer = Text == "any pointer" || Text == "vtable pointer";
  if (IsPointer) return "void *";
  if (Text == "omnipotent char") return Slot.SizeBytes == 1 ? "char" : "";
  bool IsPlain =
      StringSwitch<bool>(Text)
          .Cases("bool", "short", "int", "long", "long long", "__int128", "float", "double", "long double", true)
          .Cases("_Bool", "half", "__float128", true)
          .Default(false);
  return IsPlain ? Text : "";
}

void describeModule(Module &M) {
  noteParallelRegions(M);
  DebugTypes Types(M);
  const DataLayout &Layout = M.getDataLayout();
  Allocators Own(M);
  AllocatorNotes Notes(Own, Types);
  RingNotes Rings(M);
  SystemFiles::note(M);
  for (Function &F : M) {
    if (F.isDeclaration()) continue;
    Describer Describe(Types, Layout);
    for (Instruction &I : instructions(F)) {
      if (auto *Call = dyn_cast<CallBase>(&I)) Notes.look(*Call, Describe);
      Rings.look(I);
      Decision Decided = decide(I, Layout);
      SmallVector<Description, 2> Pieces;
      if (auto *Call = dyn_cast<CallBase>(&I)) Receivers::note(*Call, Describe.places(), Types);
      for (const AccessSlot &Slot : Decided.Slots) Pieces.push_back(Describe.early(I, Slot));
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Pieces.empty())
        if (DIType *Declared = declaredType(*Call, Types, Describe.places()))
          Pieces.push_back({Declared, 0, "", nullptr, Declared});
      bool SaysAnything = any_of(Pieces, [](const Description &D) { return D.Type || D.Variable; });
      if (SaysAnything) attachDescription(I, Pieces);
    }
    Notes.insert(F);
    Rings.insert();
  }
}

} // namespace dprof
