// Stage: plugin, "decide". An instruction -> the memory it accesses, whether it ends its segment, and the reason if it
// is left out.
#include "access.h"

#include "allocation_site.h"

#include "asm_access.h"
#include "by_value.h"
#include "names.h"
#include "ring_notes.h"
#include "seen_library.h"
#include "string_calls.h"
#include "target_access.h"
#include "version.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace dprof {

unsigned AccessSlot::words() const {
  switch (Kind) {
    case DPROF_SLOT_SITE: return 0;
    case DPROF_SLOT_ATOMIC_LOAD:
    case DPROF_SLOT_ATOMIC_STORE:
    case DPROF_SLOT_ATOMIC_UPDATE:
    case DPROF_SLOT_ATOMIC_RESULT:
    case DPROF_SLOT_MASKED_LOAD:
    case DPROF_SLOT_MASKED_STORE: return 2;
    case DPROF_SLOT_COPY_STORE:
    case DPROF_SLOT_FILL:
    case DPROF_SLOT_SCAN: return SizeBytes == DPROF_SIZE_DYNAMIC ? 2 : 1;
    case DPROF_SLOT_GATHER:
    case DPROF_SLOT_SCATTER: return Lanes;
    default: return 1;
  }
}

bool isCounted(const Instruction &I) {
  return !isa<PHINode>(I) && !I.isDebugOrPseudoInst() && !I.isLifetimeStartOrEnd() && !isNote(I);
}

namespace {

constexpr unsigned MaxLanes = 64; // bits of a mask word

class Decider {
public:
  explicit Decider(const DataLayout &Layout) : Layout(Layout) {}

  Decision decide(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      scalar(Load->isAtomic() ? DPROF_SLOT_ATOMIC_LOAD : DPROF_SLOT_LOAD, Load->getPointerOperand(), Load->getType());
    else if (auto *Store = dyn_cast<StoreInst>(&I))
      scalar(Store->isAtomic() ? DPROF_SLOT_ATOMIC_STORE : DPROF_SLOT_STORE, Store->getPointerOperand(),
             Store->getValueOperand()->getType());
    else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
      scalar(updateKind(I), Update->getPointerOperand(), Update->getValOperand()->getType());
    else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
      scalar(updateKind(I), Exchange->getPointerOperand(), Exchange->getNewValOperand()->getType());
    else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
      intrinsic(*Intrinsic);
    else if (auto *Call = dyn_cast<CallBase>(&I))
      call(*Call);
    else if (isa<VAArgInst>(I))
      Result.Refusal = "va_arg";
    if (LibraryRecords && becomesLibraryCall(I)) Result.EndsSegment = true;
    if (!Result.Slots.empty() && Result.Slots.back().isAtomic()) Result.EndsSegment = true;
    return std::move(Result);
  }

private:
  static dprof_slot_kind updateKind(const Instruction &I) {
    return I.use_empty() ? DPROF_SLOT_ATOMIC_UPDATE : DPROF_SLOT_ATOMIC_RESULT;
  }

  bool refuses(Value *Pointer, Type *Accessed) {
    if (Pointer->isSwiftError())
      Result.Refusal = "swifterror";
    else if (Pointer->getType()->getScalarType()->getPointerAddressSpace() != 0)
      Result.Refusal = "other address space";
    else if (Accessed && Layout.getTypeStoreSize(Accessed).isScalable())
      Result.Refusal = "scalable vector";
    else
      return false;
    return true;
  }

  AccessSlot &add(dprof_slot_kind Kind, Value *Pointer, uint32_t SizeBytes) {
    AccessSlot &Slot = Result.Slots.emplace_back();
    Slot.Kind = Kind;
    Slot.Pointer = Pointer;
    Slot.SizeBytes = SizeBytes;
    return Slot;
  }

  void scalar(dprof_slot_kind Kind, Value *Pointer, Type *Accessed) {
    if (refuses(Pointer, Accessed)) return;
    uint64_t Size = Layout.getTypeStoreSize(Accessed);
    if (Size) add(Kind, Pointer, Size).Accessed = Accessed;
  }

  void lanes(dprof_slot_kind Kind, Value *Pointer, Value *Mask, Type *Accessed, bool MaskIsCount = false) {
    if (refuses(Pointer, Accessed)) return;
    auto *Vector = cast<FixedVectorType>(Accessed);
    if (Vector->getNumElements() > MaxLanes) {
      Result.Refusal = "more than 64 lanes";
      return;
    }
    AccessSlot &Slot = add(Kind, Pointer, Layout.getTypeStoreSize(Vector->getElementType()));
    Slot.Lanes = Vector->getNumElements();
    Slot.Mask = Mask;
    Slot.MaskIsCount = MaskIsCount;
    Slot.Accessed = Vector->getElementType();
  }

  // Gives the size of a block, 0 if there is nothing to record.
  uint32_t blockSize(Value *Length) {
    auto *Constant = dyn_cast<ConstantInt>(Length);
    bool Fits = Constant && Constant->getValue().ult(DPROF_SIZE_DYNAMIC);
    return Fits ? Constant->getZExtValue() : DPROF_SIZE_DYNAMIC;
  }

  void copy(Value *To, Value *From, Value *Length) {
    if (refuses(To, nullptr) || refuses(From, nullptr)) return;
    uint32_t Size = blockSize(Length);
    if (!Size) return;
    add(DPROF_SLOT_COPY_LOAD, From, Size);
    add(DPROF_SLOT_COPY_STORE, To, Size).Length = Length;
  }

  void fill(Value *To, Value *Length) {
    if (refuses(To, nullptr)) return;
    if (uint32_t Size = blockSize(Length)) add(DPROF_SLOT_FILL, To, Size).Length = Length;
  }

  void intrinsic(IntrinsicInst &I) {
    switch (I.getIntrinsicID()) {
      case Intrinsic::memcpy:
      case Intrinsic::memcpy_inline:
      case Intrinsic::memmove: return copy(I.getArgOperand(0), I.getArgOperand(1), I.getArgOperand(2));
      case Intrinsic::memset:
      case Intrinsic::memset_inline: return fill(I.getArgOperand(0), I.getArgOperand(2));
      case Intrinsic::masked_load:
        return lanes(DPROF_SLOT_MASKED_LOAD, I.getArgOperand(0), I.getArgOperand(MaskBehindPointer), I.getType());
      case Intrinsic::masked_store:
        return lanes(DPROF_SLOT_MASKED_STORE, I.getArgOperand(1), I.getArgOperand(1 + MaskBehindPointer),
                     I.getArgOperand(0)->getType());
      case Intrinsic::masked_expandload:
        return lanes(DPROF_SLOT_MASKED_LOAD, I.getArgOperand(0), I.getArgOperand(1), I.getType(), true);
      case Intrinsic::masked_compressstore:
        return lanes(DPROF_SLOT_MASKED_STORE, I.getArgOperand(1), I.getArgOperand(2), I.getArgOperand(0)->getType(),
                     true);
      case Intrinsic::masked_gather:
        return lanes(DPROF_SLOT_GATHER, I.getArgOperand(0), I.getArgOperand(MaskBehindPointer), I.getType());
      case Intrinsic::masked_scatter:
        return lanes(DPROF_SLOT_SCATTER, I.getArgOperand(1), I.getArgOperand(1 + MaskBehindPointer),
                     I.getArgOperand(0)->getType());
      case Intrinsic::vastart: return vaStart(I);
      case Intrinsic::vacopy: return copy(I.getArgOperand(0), I.getArgOperand(1), vaListBytes(I, Layout));
      case Intrinsic::trap:
      case Intrinsic::debugtrap:
      case Intrinsic::ubsantrap:
      case Intrinsic::eh_sjlj_setjmp: // returns twice, like the function
      case Intrinsic::eh_sjlj_longjmp:
      case Intrinsic::experimental_deoptimize:
      case Intrinsic::experimental_gc_statepoint: Result.EndsSegment = true; return;
      case Intrinsic::memcpy_element_unordered_atomic:
      case Intrinsic::memmove_element_unordered_atomic:
      case Intrinsic::memset_element_unordered_atomic: Result.Refusal = "element-wise atomic block"; return;
      // Lowered when this plugin is done.
      case Intrinsic::load_relative:
      case Intrinsic::type_checked_load:
      case TypeCheckedLoadRelative:
      case Intrinsic::matrix_column_major_load:
      case Intrinsic::matrix_column_major_store:
      case Intrinsic::init_trampoline:
      case Intrinsic::gcread:
      case Intrinsic::gcwrite: Result.Refusal = "intrinsic that is lowered late"; return;
      default:
        if (I.getCalledFunction()->isTargetIntrinsic())
          target(I);
        else if (isa<VPIntrinsic>(I) && I.mayReadOrWriteMemory())
          Result.Refusal = "vector-predicated intrinsic";
    }
  }

  void target(IntrinsicInst &I) {
    if (auto Found = targetAccesses(I, Layout))
      Result.Slots = std::move(*Found);
    else if (I.mayReadOrWriteMemory() && any_of(I.args(), [](const Use &U) { return U->getType()->isPointerTy(); }))
      Result.Refusal = "target intrinsic";
  }

  // Size of a va_list: two offsets of 32 bits, and on x86-64 two pointers, on aarch64 three. With Microsoft's calling
  // convention it is one pointer.
  static ConstantInt *vaListBytes(const IntrinsicInst &I, const DataLayout &Layout) {
    unsigned Pointer = Layout.getPointerSize();
    bool IsMicrosoft = I.getFunction()->getCallingConv() == CallingConv::Win64;
    unsigned Pointers = Triple(I.getModule()->getTargetTriple()).isAArch64() ? 3 : 2;
    return ConstantInt::get(Type::getInt64Ty(I.getContext()), IsMicrosoft ? Pointer : 8 + Pointers * Pointer);
  }

  void vaStart(IntrinsicInst &I) {
    Value *List = I.getArgOperand(0);
    if (!refuses(List, nullptr)) add(DPROF_SLOT_STORE, List, vaListBytes(I, Layout)->getZExtValue()).IsWhole = true;
  }

  void call(CallBase &Call) {
    if (auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
      addAsmOperands(Call, *Asm, Layout, Result);
      Result.EndsSegment = !Call.doesNotThrow() || Call.doesNotReturn() || Asm->canThrow() || isa<CallBrInst>(Call);
      return;
    }
    const Function *Callee = Call.getCalledFunction();
    if (Callee && Callee->getName() == names::Duplicated) {
      Result.Slots = duplicateAccesses(Call);
      return;
    }
    Result.EndsSegment = true;
    addArgumentLoads(Call, Layout, Result);
    if (!Callee || Callee->hasLocalLinkage() || Call.isMustTailCall()) return;
    libraryCall(Call, Callee->getName());
    if (LibraryRecords) jumpCall(Call, Callee->getName());
    atomicCall(Call, Callee->getName());
    if (passesRingUnseen(Call)) Result.Refusal = "io_uring: what the kernel reads and writes";
    auto Accessed = stringAccesses(Call, *Callee);
    if (Accessed.empty()) return;
    Result.Slots.append(Accessed);
    Result.EndsSegment = duplicates(Call) || Callee->getName().ends_with("_chk") || isa<InvokeInst>(Call);
  }

  // These are assembler files.
  void jumpCall(CallBase &Call, StringRef Name) {
    bool IsStore = false;
    unsigned Bytes = jumpBufferBytes(Name, IsStore);
    if (!Bytes || !Call.arg_size() || !Call.getArgOperand(0)->getType()->isPointerTy()) return;
    if (!refuses(Call.getArgOperand(0), nullptr))
      add(IsStore ? DPROF_SLOT_STORE : DPROF_SLOT_LOAD, Call.getArgOperand(0), Bytes).IsWhole = true;
  }

  // A call of libatomic, for sizes that no instruction can access: (size, object, ..., order). It locks, and moves
  // blocks.
  void atomicCall(CallBase &Call, StringRef Name) {
    unsigned Needed = StringSwitch<unsigned>(Name)
                          .Cases("__atomic_load", "__atomic_store", 4)
                          .Case("__atomic_exchange", 5)
                          .Case("__atomic_compare_exchange", 6)
                          .Default(0);
    if (!Needed || Call.arg_size() != Needed || !Call.getArgOperand(0)->getType()->isIntegerTy(64) ||
        !Call.getArgOperand(1)->getType()->isPointerTy() || !Call.getArgOperand(2)->getType()->isPointerTy())
      return;
    Value *Bytes = Call.getArgOperand(0), *Object = Call.getArgOperand(1), *Other = Call.getArgOperand(2);
    if (Name == "__atomic_load")
      copy(Other, Object, Bytes);
    else if (Name == "__atomic_store")
      copy(Object, Other, Bytes);
    else
      fill(Object, Bytes); // an update counts as one store
  }

  // The block functions of libc, where they are still calls.
  void libraryCall(CallBase &Call, StringRef Name) {
    enum class Block { None, Copy, CopyReversed, Fill, Zero };
    Block Kind = StringSwitch<Block>(Name)
                     .Cases("memcpy", "memmove", "mempcpy", Block::Copy)
                     .Cases("__memcpy_chk", "__memmove_chk", "__mempcpy_chk", Block::Copy)
                     .Case("bcopy", Block::CopyReversed)
                     .Cases("memset", "__memset_chk", Block::Fill)
                     .Cases("bzero", "explicit_bzero", "__explicit_bzero_chk", Block::Zero)
                     .Default(Block::None);
    unsigned Needed = Kind == Block::Zero ? 2 : 3;
    if (Kind == Block::None || Call.arg_size() < Needed || !Call.getArgOperand(0)->getType()->isPointerTy() ||
        !Call.getArgOperand(Needed - 1)->getType()->isIntegerTy(64))
      return;
    if (Kind == Block::Copy || Kind == Block::CopyReversed) {
      if (!Call.getArgOperand(1)->getType()->isPointerTy()) return;
      unsigned To = Kind == Block::Copy ? 0 : 1;
      copy(Call.getArgOperand(To), Call.getArgOperand(1 - To), Call.getArgOperand(2));
    } else {
      fill(Call.getArgOperand(0), Call.getArgOperand(Needed - 1));
    }
    bool MayAbort = Name.ends_with("_chk");
    Result.EndsSegment = MayAbort || isa<InvokeInst>(Call);
  }

  const DataLayout &Layout;
  const bool LibraryRecords = cLibrary() != CLibrary::Unseen;
  Decision Result;
};

} // namespace

Decision decide(Instruction &I, const DataLayout &Layout) { return Decider(Layout).decide(I); }

} // namespace dprof
