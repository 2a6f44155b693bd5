// Stage: plugin, "describe". io_uring: adds a call of the runtime where the program makes a ring, submits requests, and
// looks at completions.
#include "ring_notes.h"

#include "added_call.h"
#include "names.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace dprof {

namespace {

constexpr char Seen[] = "dprof.ring"; // metadata of a call beside which there is one of the runtime

// What a function of liburing, or a system call, does with a ring.
enum Role : unsigned {
  None = 0,
  Opens = 1,
  Closes = 2,
  Submits = 4,
  Sees = 8,
  MakesBuffers = 16, // a ring of buffers
  RegistersBuffers = 32,
  SetsUp = 64, // this and the following take the descriptor
  Enters = 128,
  Maps = 256
};

struct RingCall {
  unsigned Roles = None;
  unsigned Ring = 0; // the number of the argument, or of the first one that the system call takes
};

// All architectures have these numbers.
constexpr uint64_t SetupNumber = 425, EnterNumber = 426;

RingCall ringCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic()) return {};
  StringRef Name = Callee->getName();
  if (Name == "syscall" && Call.arg_size()) {
    auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0));
    uint64_t Is = Number ? Number->getZExtValue() : 0;
    return {Is == SetupNumber ? SetsUp : Is == EnterNumber ? Enters : None, 1};
  }
  if (Name == "mmap" || Name == "mmap64") return {Maps, 4};
  if (!Name.contains("io_uring_")) return {};
  return StringSwitch<RingCall>(Name)
      .Cases("io_uring_queue_init", "io_uring_queue_init_params", "io_uring_queue_init_mem", {Opens, 1})
      .Case("io_uring_queue_mmap", {Opens, 2})
      .Case("io_uring_queue_exit", {Closes, 0})
      .Cases("io_uring_submit", "io_uring_submit_and_wait", "io_uring_submit_and_get_events", "__io_uring_flush_sq",
             {Submits, 0})
      .Cases("io_uring_submit_and_wait_timeout", "io_uring_submit_and_wait_min_timeout", "io_uring_submit_and_wait_reg",
             {Submits | Sees, 0})
      .Cases("io_uring_wait_cqes", "io_uring_wait_cqes_min_timeout", "io_uring_wait_cqe_timeout", "__io_uring_get_cqe",
             {Sees, 0})
      .Cases("io_uring_peek_batch_cqe", "io_uring_peek_cqe", "io_uring_wait_cqe", "io_uring_wait_cqe_nr", {Sees, 0})
      .Case("io_uring_register_buf_ring", {RegistersBuffers, 0})
      .Case("io_uring_setup_buf_ring", {MakesBuffers, 0})
      .Case("io_uring_setup", {SetsUp, 0})
      .Cases("io_uring_enter", "io_uring_enter2", {Enters, 0})
      .Default({});
}

// Whether an access may be to a ring's tail: to 32 bits, and atomic or volatile.
template <typename Access> bool mayBeTail(const Access &I, const Type *Accessed) {
  return Accessed->isIntegerTy(32) && !I.getPointerAddressSpace() && (I.isAtomic() || I.isVolatile());
}

class RingNoteBuilder {
public:
  RingNoteBuilder(Instruction *Before, const Instruction &Of) : Build(Before) {
    Build.SetCurrentDebugLocation(Of.getDebugLoc());
  }
  void note(StringRef Name, ArrayRef<Value *> Arguments) { addCall(Build, Name, Build.getVoidTy(), Arguments); }
  // Arguments of system calls come in any type.
  Value *number(Value *V, unsigned Bits) {
    Type *To = Build.getIntNTy(Bits);
    return V->getType()->isPointerTy() ? Build.CreatePtrToInt(V, To) : Build.CreateSExtOrTrunc(V, To);
  }
  Value *pointer(Value *V) {
    return V->getType()->isPointerTy() ? V : Build.CreateIntToPtr(number(V, 64), Build.getPtrTy());
  }

private:
  IRBuilder<> Build;
};

void insertBefore(CallBase &Call, RingCall What) {
  RingNoteBuilder At(&Call, Call);
  if (What.Roles & Closes) At.note(names::RingClosing, {Call.getArgOperand(What.Ring)});
  if (What.Roles & Submits) At.note(names::RingSubmitting, {Call.getArgOperand(What.Ring)});
  if (What.Roles & Enters)
    At.note(names::RingEntering,
            {At.number(Call.getArgOperand(What.Ring), 32), At.number(Call.getArgOperand(What.Ring + 3), 32)});
}

void insertAfter(CallBase &Call, RingCall What, Instruction *Where) {
  RingNoteBuilder At(Where, Call);
  Value *Ring = Call.getArgOperand(What.Ring);
  if (What.Roles & Opens) At.note(names::RingOpened, {Ring, At.number(&Call, 32)});
  if (What.Roles & Sees) At.note(names::RingSeen, {Ring});
  if (What.Roles & RegistersBuffers)
    At.note(names::RingBuffersRegistered, {Ring, Call.getArgOperand(1), At.number(&Call, 32)});
  if (What.Roles & MakesBuffers)
    At.note(names::RingBuffers, {Ring, &Call, At.number(Call.getArgOperand(1), 32),
                                 At.number(Call.getArgOperand(2), 32), At.number(Call.getArgOperand(3), 32)});
  if (What.Roles & SetsUp)
    At.note(names::RingSetUp, {At.number(&Call, 64), At.pointer(Call.getArgOperand(What.Ring + 1))});
  if (What.Roles & Enters)
    At.note(names::RingEntered, {At.number(Ring, 32), At.number(Call.getArgOperand(What.Ring + 3), 32)});
  if (What.Roles & Maps)
    At.note(names::RingMapped, {&Call, At.number(Call.getArgOperand(1), 64), At.number(Ring, 32),
                                At.number(Call.getArgOperand(What.Ring + 1), 64)});
}

bool fits(const CallBase &Call, RingCall What) {
  if (!What.Roles) return false;
  bool TakesDescriptor = What.Roles & (SetsUp | Enters | Maps);
  unsigned Taken = What.Roles & (Enters | MakesBuffers) ? 4 : What.Roles & (SetsUp | Maps | RegistersBuffers) ? 2 : 1;
  if (Call.arg_size() < What.Ring + Taken) return false;
  bool GivesPointer = What.Roles & (Maps | MakesBuffers);
  bool Returns = GivesPointer ? Call.getType()->isPointerTy() : Call.getType()->isIntegerTy();
  bool NeedsResult = What.Roles & (Opens | SetsUp | RegistersBuffers) || GivesPointer;
  return (Returns || !NeedsResult) && (TakesDescriptor || Call.getArgOperand(What.Ring)->getType()->isPointerTy());
}

} // namespace

RingNotes::RingNotes(Module &M) {
  for (const StructType *Type : M.getIdentifiedStructTypes())
    KnowsRings |= Type->hasName() && Type->getName().starts_with("struct.io_uring");
  for (const Function &F : M) KnowsRings |= F.getName().starts_with("io_uring_queue_");
}

void RingNotes::look(Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (Call) {
    RingCall What = ringCall(*Call);
    if ((KnowsRings || !(What.Roles & (Maps | SetsUp))) && fits(*Call, What)) Found.push_back(&I);
  } else if (!KnowsRings) {
    return;
  } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (mayBeTail(*Load, Load->getType())) Found.push_back(&I);
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    if (mayBeTail(*Store, Store->getValueOperand()->getType())) Found.push_back(&I);
  }
}

void RingNotes::insert() {
  for (Instruction *I : Found) {
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      RingNoteBuilder(Load->getNextNode(), *I).note(names::RingLoaded, {Load->getPointerOperand(), Load});
    } else if (auto *Store = dyn_cast<StoreInst>(I)) {
      RingNoteBuilder(Store, *I).note(names::RingStoring, {Store->getPointerOperand(), Store->getValueOperand()});
    } else {
      auto &Call = *cast<CallBase>(I);
      RingCall What = ringCall(Call);
      Instruction *Where = afterReturn(Call);
      if (!Where) continue; // it returns for its caller
      insertBefore(Call, What);
      insertAfter(Call, What, Where);
      Call.setMetadata(Seen, MDNode::get(Call.getContext(), {}));
    }
  }
  Found.clear();
}

bool passesRingUnseen(const CallBase &Call) {
  constexpr unsigned Covered = Opens | Submits | SetsUp | Enters;
  return ringCall(Call).Roles & Covered && !Call.getMetadata(Seen);
}

} // namespace dprof
