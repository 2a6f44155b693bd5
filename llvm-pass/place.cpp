// Stage: plugin. An IR pointer -> the place to which it points: walks from the access to the base, and takes the
// outermost record that debug information or a `getelementptr %struct.T` vouches for. If the two disagree the
// getelementptr wins: the program cast the pointer.
#include "place.h"

#include "description.h"
#include "field_path.h"
#include "version.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace dprof {

namespace {

constexpr unsigned MaxDepth = 12;

} // namespace

DIVariable *declaredVariable(Value *Pointer) {
  auto isWhole = [](DIExpression *E) { return !E || E->getNumElements() == 0; };
  for (VariableRecord *Record : declarationsOf(Pointer))
    if (isWhole(Record->getExpression())) return Record->getVariable();
  // Optimised code tracks assignments instead.
  auto *Stack = dyn_cast<AllocaInst>(Pointer);
  if (!Stack || !Stack->hasMetadata(LLVMContext::MD_DIAssignID)) return nullptr;
  for (AssignmentRecord *Record : assignmentsTo(Stack))
    if (isWhole(Record->getExpression()) && isWhole(Record->getAddressExpression()) && Record->getAddress() == Stack)
      return Record->getVariable();
  return nullptr;
}

namespace {

// The source variables that hold the pointer itself.
SmallVector<DIVariable *, 2> valueVariables(Value *Pointer) {
  SmallVector<DIVariable *, 2> Variables;
  for (VariableRecord *Record : valueRecordsOf(Pointer))
    if (Record->getNumVariableLocationOps() == 1 && Record->getExpression()->getNumElements() == 0)
      Variables.push_back(Record->getVariable());
  return Variables;
}

DIVariable *valueVariable(Value *Pointer) {
  SmallVector<DIVariable *, 2> Variables = valueVariables(Pointer);
  return Variables.empty() ? nullptr : Variables.front();
}

bool isBaseOf(const DIType *Base, const DICompositeType *Derived, const DebugTypes &Types, unsigned Depth = 0) {
  return Depth < MaxDepth && any_of(
                                 Derived->getElements(),
                                 [&](const DINode *Element) {
                                   auto *Member = dyn_cast<DIDerivedType>(Element);
                                   if (!Member || Member->getTag() != dwarf::DW_TAG_inheritance) return false;
                                   DIType *Own = Types.strip(Member->getBaseType());
                                   DICompositeType *Record = DebugTypes::asRecord(Own);
                                   return Own == Base || (Record && isBaseOf(Base, Record, Types, Depth + 1));
                                 });
}

StructType *structOf(Type *T) {
  while (auto *Array = dyn_cast<ArrayType>(T)) T = Array->getElementType();
  return dyn_cast<StructType>(T);
}

DIType *returnType(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  const DISubprogram *Subprogram = Callee ? Callee->getSubprogram() : nullptr;
  if (!Subprogram || !Subprogram->getType()) return nullptr;
  DITypeRefArray Signature = Subprogram->getType()->getTypeArray();
  return Signature.size() ? Signature[0] : nullptr;
}

} // namespace

const Place &PlaceFinder::find(Value *Pointer, unsigned Depth) {
  auto [Entry, New] = Found.try_emplace(Pointer);
  if (!New) return Entry->second;
  Place Result = Depth > MaxDepth ? Place() : compute(Pointer, Depth);
  return Found[Pointer] = std::move(Result);
}

Place PlaceFinder::compute(Value *Pointer, unsigned Depth) {
  if (auto *Address = dyn_cast<GEPOperator>(Pointer); Address && Address->getType()->isPointerTy())
    return step(find(Address->getPointerOperand(), Depth + 1), *Address);
  return baseOf(Pointer, Depth);
}

Place PlaceFinder::declared(Value *Pointer) {
  DIVariable *Variable = declaredVariable(Pointer);
  if (!Variable) return {};
  return {Types.strip(Variable->getType()), 0, Variable, {}};
}

Place PlaceFinder::loaded(LoadInst &Load, unsigned Depth) {
  if (auto Pieces = readDescription(Load); !Pieces.empty() && Pieces[0].Leaf)
    return {Types.pointee(Pieces[0].Leaf), 0, nullptr, {}};
  const Place &From = find(Load.getPointerOperand(), Depth + 1);
  if (!From.Type) return {};
  FieldQuery Query;
  DIType *Outer = Types.withoutArrays(From.Type);
  uint64_t Size = Types.sizeBytes(Outer);
  Query.Offset = Types.element(From.Type) && Size ? From.Offset % Size : From.Offset;
  Query.Size = Layout.getTypeStoreSize(Load.getType());
  Query.Accessed = Load.getType();
  Query.Through = From.Through;
  return {Types.pointee(findField(Types, Outer, Query).Type), 0, nullptr, {}};
}

Place PlaceFinder::baseOf(Value *Pointer, unsigned Depth) {
  if (Depth > MaxDepth) return {};
  if (auto *Global = dyn_cast<GlobalVariable>(Pointer)) {
    SmallVector<DIGlobalVariableExpression *, 1> Expressions;
    Global->getDebugInfo(Expressions);
    if (Expressions.empty()) return {};
    // The optimiser may have split a variable, or made it smaller: then this is a part of it.
    DIGlobalVariable *Variable = Expressions.front()->getVariable();
    auto Part = Expressions.front()->getExpression()->getFragmentInfo();
    return {Types.strip(Variable->getType()), int64_t(Part ? Part->OffsetInBits / 8 : 0), Variable, {}};
  }
  if (auto *Alias = dyn_cast<GlobalAlias>(Pointer)) return find(Alias->getAliasee(), Depth + 1);
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) return find(Cast->getPointerOperand(), Depth + 1);
  if (auto *Stack = dyn_cast<AllocaInst>(Pointer)) {
    Place Here = declared(Stack);
    if (Here.Type || Here.Variable) return Here;
    // A temporary of the compiler's own: a by-value argument, a result, an unnamed object.
    auto *S = dyn_cast<StructType>(Stack->getAllocatedType());
    return {S ? Types.forStruct(S) : nullptr, 0, nullptr, {}};
  }
  if (auto *Load = dyn_cast<LoadInst>(Pointer)) return loaded(*Load, Depth);
  if (auto *Call = dyn_cast<CallBase>(Pointer)) {
    switch (Call->getIntrinsicID()) {
      case Intrinsic::threadlocal_address:
      case Intrinsic::launder_invariant_group:
      case Intrinsic::strip_invariant_group:
      case Intrinsic::ptrmask:
      case Intrinsic::ptr_annotation: return find(Call->getArgOperand(0), Depth + 1);
      default: break;
    }
    if (auto *Created = dyn_cast_or_null<DIType>(Call->getMetadata("heapallocsite")))
      return {Types.strip(Created), 0, nullptr, {}};
    if (DIType *To = Types.pointee(returnType(*Call))) return {To, 0, nullptr, {}};
    if (Value *Same = Call->getReturnedArgOperand()) return find(Same, Depth + 1);
  }
  if (isa<Argument>(Pointer))
    if (Place Here = declared(Pointer); Here.Type) return Here;
  if (DIVariable *Variable = isa<Constant>(Pointer) ? nullptr : valueVariable(Pointer))
    if (DIType *To = Types.pointee(Variable->getType())) return {To, 0, nullptr, {}};
  SmallVector<Value *, 4> Sources;
  if (auto *Phi = dyn_cast<PHINode>(Pointer))
    Sources.append(Phi->incoming_values().begin(), Phi->incoming_values().end());
  else if (auto *Select = dyn_cast<SelectInst>(Pointer))
    Sources = {Select->getTrueValue(), Select->getFalseValue()};
  for (Value *Source : Sources) {
    if (Source == Pointer) continue;
    Place From = find(Source, Depth + 1);
    From.Variable = nullptr;
    if (From.Type && !isForeignStart(From, Source, Pointer)) return From;
  }
  return {};
}

DIType *PlaceFinder::recordMade(Value *Memory, uint64_t Bytes) {
  DIType *Made = nullptr;
  for (DIVariable *Variable : valueVariables(Memory)) {
    DIType *T = Types.pointee(Variable->getType());
    DICompositeType *Record = T ? DebugTypes::asRecord(T) : nullptr;
    if (!Record || Types.sizeBytes(T) != Bytes) continue;
    if (!Made || isBaseOf(Made, Record, Types)) Made = T;
  }
  return Made;
}

namespace {

// The first load of the way from the loop's pointer to `Next`, and its offset from that: `p->next` of `p = p->next`.
struct NextLoad {
  LoadInst *Load = nullptr;
  int64_t Offset = 0;
};

NextLoad nextLoad(Value *Next, Value *Pointer, const DataLayout &Layout) {
  for (unsigned Depth = 0; Depth < MaxDepth; ++Depth) {
    if (auto *Load = dyn_cast<LoadInst>(Next)) {
      APInt Offset(Layout.getIndexTypeSizeInBits(Load->getPointerOperandType()), 0);
      Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, Offset, true);
      if (Base == Pointer) return {Load, Offset.getSExtValue()};
      Next = Base;
    } else if (auto *Address = dyn_cast<GEPOperator>(Next)) {
      Next = Address->getPointerOperand();
    } else if (auto *I = dyn_cast<Instruction>(Next); I && (I->isCast() || I->isBinaryOp())) {
      Next = I->getOperand(0); // a pointer in an integer, with flags in its low bits
    } else {
      break;
    }
  }
  return {};
}

} // namespace

// `for (p = &owner->list; ...; p = p->next)`: the owner of the list is not the type of its nodes, unless `next` points
// to owners.
bool PlaceFinder::isForeignStart(const Place &Start, Value *Source, Value *Pointer) const {
  auto *Phi = dyn_cast<PHINode>(Pointer);
  DIType *Owner = Types.withoutArrays(Start.Type);
  bool IsAddress = isa<GEPOperator>(Source) || isa<GlobalVariable>(Source) || isa<AllocaInst>(Source);
  if (!Phi || !IsAddress || !DebugTypes::asRecord(Owner) || nextLoad(Source, Phi, Layout).Load) return false;
  uint64_t Size = Types.element(Start.Type) ? Types.sizeBytes(Owner) : 0;
  for (Value *Next : Phi->incoming_values()) {
    NextLoad Way = nextLoad(Next, Phi, Layout);
    if (!Way.Load || Start.Offset + Way.Offset < 0) continue;
    FieldQuery Query;
    Query.Offset = Start.Offset + Way.Offset;
    if (Size) Query.Offset %= Size;
    Query.Size = Layout.getTypeStoreSize(Way.Load->getType());
    Query.Accessed = Way.Load->getType();
    DIType *To = Types.pointee(findField(Types, Owner, Query).Type);
    if (!To || Types.withoutArrays(To) != Owner) return true;
  }
  return false;
}

bool PlaceFinder::inArrayOf(const Place &P, uint64_t ElementSize) const {
  if (!P.Type || !ElementSize) return false;
  DIType *Outer = P.Type;
  int64_t Offset = P.Offset;
  for (unsigned Depth = 0; Outer && Depth < MaxDepth; ++Depth) {
    if (DIType *Element = Types.element(Outer)) {
      uint64_t Size = Types.sizeBytes(Element);
      if (Size && ElementSize % Size == 0) return true;
      Offset = Size ? Offset % int64_t(Size) : 0;
      Outer = Element;
      continue;
    }
    DICompositeType *Record = DebugTypes::asRecord(Outer);
    if (!Record) return Depth == 0 && ElementSize % std::max<uint64_t>(Types.sizeBytes(Outer), 1) == 0;
    if (Depth == 0 && Offset == 0 && ElementSize % std::max<uint64_t>(Types.sizeBytes(Record), 1) == 0)
      return true; // p[i] of a pointer to records
    DIType *Next = nullptr;
    for (DIDerivedType *Member : dataMembers(Record)) {
      int64_t Begin = memberOffsetBytes(Member);
      int64_t Size = Types.sizeBytes(Member->getBaseType());
      if (Offset < Begin || (Offset >= Begin + Size && !Types.element(Member->getBaseType()))) continue;
      if (!DebugTypes::asRecord(Types.withoutArrays(Member->getBaseType())) && !Types.element(Member->getBaseType()))
        continue;
      Next = Types.strip(Member->getBaseType());
      Offset -= Begin;
      break;
    }
    Outer = Next;
  }
  return false;
}

bool PlaceFinder::withinBounds(const Place &P) const {
  if (P.Offset < 0) return false;
  uint64_t Size = Types.sizeBytes(P.Type);
  return !Size || uint64_t(P.Offset) < Size || Types.element(P.Type) || endsInArray(Types, P.Type);
}

// The first index steps over whole objects: it stays in an array, or leaves the known object.
Place PlaceFinder::firstIndex(Place From, GEPOperator &Address) {
  if (!From.Type) return From;
  auto *Constant = dyn_cast<ConstantInt>(Address.idx_begin()->get());
  if (Constant && Constant->isZero()) return From;
  uint64_t ElementSize = Layout.getTypeAllocSize(Address.getSourceElementType());
  bool IsBytes = ElementSize == 1 && !structOf(Address.getSourceElementType());
  bool IsRecordArray =
      DebugTypes::asRecord(From.Type) && From.Offset == 0 && !IsBytes && ElementSize == Types.sizeBytes(From.Type);
  if (IsRecordArray) return From;
  if (!Types.element(From.Type) && !DebugTypes::asRecord(From.Type))
    return inArrayOf(From, ElementSize) && !(IsBytes && Types.sizeBytes(From.Type) != 1) ? From : Place();
  if (Constant) {
    From.Offset += Constant->getSExtValue() * int64_t(ElementSize);
    return withinBounds(From) ? From : Place();
  }
  // The optimiser counts in bytes where it made a loop one copy. In a variable that is an array of scalars, any byte is
  // one of a scalar.
  if (IsBytes && From.Variable && Types.element(From.Type) && !DebugTypes::asRecord(Types.withoutArrays(From.Type)))
    return From;
  return inArrayOf(From, ElementSize) ? From : Place();
}

Place PlaceFinder::step(const Place &From, GEPOperator &Address) {
  Place To = firstIndex(From, Address);
  StructType *S = structOf(Address.getSourceElementType());
  if (S && S->hasName() && S->isSized()) {
    DICompositeType *Inside = nullptr;
    if (To.Type && To.Offset >= 0) Inside = findRecordAt(Types, To.Type, To.Offset, S);
    if (Inside)
      To.Through.push_back(Inside);
    else if (DICompositeType *Cast = Types.forStruct(S))
      To = {Cast, 0, To.Variable, {}};
    else if (!To.Type || !DebugTypes::asRecord(Types.withoutArrays(To.Type)))
      To = {};
  }
  if (!To.Type) return To;
  auto Index = gep_type_begin(Address), End = gep_type_end(Address);
  for (++Index; Index != End; ++Index) {
    auto *Constant = dyn_cast<ConstantInt>(Index.getOperand());
    if (StructType *Fields = Index.getStructTypeOrNull())
      To.Offset += Layout.getStructLayout(Fields)->getElementOffset(Constant->getZExtValue());
    else if (Constant)
      To.Offset += Constant->getSExtValue() * int64_t(strideOf(Index, Layout));
  }
  return withinBounds(To) ? To : Place();
}

} // namespace dprof
