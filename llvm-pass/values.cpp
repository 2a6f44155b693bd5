// Stage: plugin, "decide". Values that accesses load and store, and arguments of functions -> slots of one word each.
#include "values.h"

#include "version.h"
#include <cstdlib>
#include <string_view>

using namespace llvm;

namespace dprof {

namespace {

constexpr unsigned WordBytes = 8;

bool isSet(const char *Variable) {
  const char *Wanted = std::getenv(Variable);
  return Wanted && std::string_view(Wanted) == "1";
}

// Tiles and the like are no numbers.
bool fitsWord(Type *T, const DataLayout &Layout) {
  if (auto *Struct = dyn_cast<StructType>(T))
    return all_of(Struct->elements(), [&](Type *Element) { return fitsWord(Element, Layout); });
  if (auto *Array = dyn_cast<ArrayType>(T)) return fitsWord(Array->getElementType(), Layout);
  Type *Scalar = T->getScalarType();
  return (Scalar->isIntegerTy() || Scalar->isFloatingPointTy() || Scalar->isPointerTy()) &&
         !Layout.getTypeStoreSize(T).isScalable();
}

// The value of an access; null if it has none that can be logged.
Value *valueOf(Instruction &I, const AccessSlot &Access) {
  bool IsPlain = Access.Kind == DPROF_SLOT_LOAD || Access.Kind == DPROF_SLOT_STORE || Access.isAtomic();
  if (!IsPlain || Access.IsArgument) return nullptr;
  if (isa<LoadInst>(I)) return &I;
  if (auto *Store = dyn_cast<StoreInst>(&I)) return Store->getValueOperand();
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I)) return Update->getValOperand();
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) return Exchange->getNewValOperand();
  return nullptr;
}

AccessSlot wordSlot(dprof_slot_kind Kind, Value *Logged, const DataLayout &Layout) {
  AccessSlot Slot;
  Slot.Kind = Kind;
  Slot.Logged = Logged;
  Slot.SizeBytes = std::min<uint64_t>(Layout.getTypeStoreSize(Logged->getType()), WordBytes);
  return Slot;
}

} // namespace

bool wantsValues() { return isSet("DPROF_VALUES"); }

bool wantsArguments() { return isSet("DPROF_ARGS"); }

void addValues(FunctionPlan &Plan) {
  for (Segment &Part : Plan.Segments) {
    std::vector<dprof_slot> Described;
    auto Next = Part.Described.begin();
    for (SegmentAccess &Access : Part.Accesses) {
      const DataLayout &Layout = Access.I->getModule()->getDataLayout();
      SmallVector<AccessSlot, 2> Slots;
      for (const AccessSlot &Slot : Access.Slots) {
        Value *Logged = valueOf(*Access.I, Slot);
        if (!Logged || !fitsWord(Logged->getType(), Layout)) {
          Slots.push_back(Slot);
          Described.push_back(*Next++);
          continue;
        }
        AccessSlot Word = wordSlot(DPROF_SLOT_VALUE, Logged, Layout);
        dprof_slot Said = *Next;
        Said.kind = Word.Kind;
        Said.size_bytes = Word.SizeBytes;
        // The value goes behind its access. But an atomic must stay last because it ends its record, so its value goes
        // first.
        unsigned Behind = Slot.isAtomic() ? 0 : 1;
        Slots.insert(Slots.end(), {Slot, Slot});
        Described.insert(Described.end(), {*Next, *Next});
        Slots[Slots.size() - 2 + Behind] = Word;
        Described[Described.size() - 2 + Behind] = Said;
        ++Next;
      }
      Access.Slots = std::move(Slots);
    }
    Part.Described = std::move(Described);
  }
}

SmallVector<AccessSlot, 4> argumentValues(Function &F) {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  SmallVector<AccessSlot, 4> Slots;
  for (Argument &Given : F.args()) {
    bool IsInMemory = Given.hasPassPointeeByValueCopyAttr() || Given.hasStructRetAttr() || Given.hasSwiftErrorAttr();
    if (IsInMemory || !fitsWord(Given.getType(), Layout) || !Layout.getTypeStoreSize(Given.getType())) continue;
    Slots.push_back(wordSlot(DPROF_SLOT_ARGUMENT, &Given, Layout));
  }
  return Slots;
}

namespace {

bool isOwnParameter(const DILocalVariable *Variable, const DILocation *Where, const Function &F) {
  return Variable->isParameter() && !Where->getInlinedAt() &&
         Variable->getScope()->getSubprogram() == F.getSubprogram();
}

// The argument, and the values to which it is widened or narrowed: a bool, a structure in a register.
SmallVector<const Value *, 4> formsOf(const Argument &Given) {
  SmallVector<const Value *, 4> Forms{&Given};
  for (const User *U : Given.users())
    if (isa<CastInst>(U)) Forms.push_back(U);
  return Forms;
}

// The first parameter that debug information names, since other variables may take the value later.
Parameter parameterNamed(const Value &Form, const Function &F) {
  for (VariableRecord *Record : recordsIn(F.getEntryBlock())) {
    bool IsIt =
        !declares(*Record) && Record->getNumVariableLocationOps() == 1 && Record->getVariableLocationOp(0) == &Form;
    if (!IsIt || !isOwnParameter(Record->getVariable(), Record->getDebugLoc(), F)) continue;
    auto Fragment = Record->getExpression()->getFragmentInfo();
    return {Record->getVariable(), Fragment ? Fragment->OffsetInBits / 8 : 0};
  }
  return {};
}

// At -O0, where parameters are in memory.
Parameter parameterStored(const Value &Form, const Function &F) {
  for (const User *U : Form.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store || Store->getValueOperand() != &Form) continue;
    APInt Offset(64, 0);
    auto *Into = dyn_cast<AllocaInst>(
        Store->getPointerOperand()->stripAndAccumulateConstantOffsets(F.getParent()->getDataLayout(), Offset, true));
    if (!Into) continue;
    for (VariableRecord *Record : declarationsOf(Into))
      if (isOwnParameter(Record->getVariable(), Record->getDebugLoc(), F))
        return {Record->getVariable(), Offset.getZExtValue()};
  }
  return {};
}

} // namespace

Parameter parameterOf(const Argument &Given) {
  const Function &F = *Given.getParent();
  for (const Value *Form : formsOf(Given)) {
    if (Parameter Named = parameterNamed(*Form, F); Named.Variable) return Named;
    if (Parameter Stored = parameterStored(*Form, F); Stored.Variable) return Stored;
  }
  return {};
}

namespace {

Value *asInteger(IRBuilder<> &Build, Value *Of) {
  Type *T = Of->getType();
  const DataLayout &Layout = Build.GetInsertBlock()->getModule()->getDataLayout();
  if (T->isPtrOrPtrVectorTy()) Of = Build.CreatePtrToInt(Of, Layout.getIntPtrType(T));
  return Build.CreateBitCast(Of, Build.getIntNTy(Layout.getTypeSizeInBits(Of->getType())));
}

// The part of the first 8 bytes of `Of`, shifted so that `Of` begins at byte `At`.
Value *wordAt(IRBuilder<> &Build, Value *Of, uint64_t At) {
  const DataLayout &Layout = Build.GetInsertBlock()->getModule()->getDataLayout();
  auto *Word = Build.getInt64Ty();
  Type *T = Of->getType();
  if (!T->isAggregateType()) {
    Value *Low = Build.CreateZExtOrTrunc(asInteger(Build, Of), Word);
    return At ? Build.CreateShl(Low, At * 8) : Low;
  }
  Value *Whole = Build.getInt64(0);
  unsigned Count =
      T->isStructTy() ? T->getStructNumElements() : std::min<uint64_t>(T->getArrayNumElements(), WordBytes);
  for (unsigned I = 0; I < Count; ++I) {
    uint64_t Offset = At + (T->isStructTy() ? uint64_t(Layout.getStructLayout(cast<StructType>(T))->getElementOffset(I))
                                            : I * Layout.getTypeAllocSize(T->getArrayElementType()).getFixedValue());
    if (Offset < WordBytes) Whole = Build.CreateOr(Whole, wordAt(Build, Build.CreateExtractValue(Of, I), Offset));
  }
  return Whole;
}

} // namespace

Value *valueWord(IRBuilder<> &Build, Value *Of) { return wordAt(Build, Of, 0); }

} // namespace dprof
