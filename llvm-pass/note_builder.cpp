// Stage: plugin, "describe". What an allocator or lock did -> calls of the runtime that note it. They read fields by
// the runtime, because a load here would count as the program's.
#include "note_builder.h"

#include "added_call.h"
#include "description.h"
#include "dprof/abi.h"
#include "names.h"
#include "version.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

namespace {

void describe(CallInst &Note, DIType *Type) {
  if (Type) attachDescription(Note, {Description{Type, 0, "", nullptr, Type}});
}

} // namespace

CallInst *NoteBuilder::note(StringRef Name, Type *Result, ArrayRef<Value *> Arguments) {
  return addCall(Build, Name, Result, Arguments);
}

void NoteBuilder::release(const Allocator &What) {
  note(names::NoteRelease, Build.getVoidTy(), {Call.Arguments[What.Pointer], Build.getInt32(What.Lock)});
}

void NoteBuilder::acquire(const Allocator &What) {
  note(names::NoteAcquire, Build.getVoidTy(),
       {Call.Arguments[What.Pointer], Build.getInt32(What.Lock), succeeded(What.Succeeds)});
}

void NoteBuilder::take(const Allocator &What, const NotedFields &Fields) {
  Type *Nothing = Build.getVoidTy();
  if (What.What == Allocator::FreePool) {
    note(names::NoteFreePool, Nothing, {pointer(What.Pool, Fields.Pool, Build.getInt32(1))});
    return;
  }
  Value *Pointer = Call.Arguments[What.Pointer];
  if (What.Each >= 0)
    note(names::NoteFreeEach, Nothing, {Pointer, wide(Call.Arguments[What.Each])});
  else
    note(names::NoteFree, Nothing, {address(Pointer, What, Fields)});
}

void NoteBuilder::give(const Allocator &What, const NotedFields &Fields, uint64_t Bytes, DIType *Type,
                       const DebugTypes &Types) {
  Given Now;
  Now.Succeeded = succeeded(What.Succeeds);
  if (What.Out.isField()) {
    Now.Address = pointer(What.Out, Fields.Out, Now.Succeeded);
  } else if (What.Out.isGiven()) {
    Now.Address = Call.Arguments[What.Out.Argument];
  } else {
    Now.Address = address(Call.Result, What, Fields);
    if (What.readsFields()) Now.Succeeded = Build.CreateZExt(Build.CreateIsNotNull(Now.Address), Build.getInt32Ty());
  }
  Value *Shift = What.Shift < 0 ? nullptr : wide(Call.Arguments[What.Shift]);
  Now.Size = Shift ? Build.CreateShl(Build.getInt64(Bytes), Build.CreateAnd(Shift, Build.getInt64(63)))
                   : number(What.Size, Fields.Size, Now.Succeeded, Bytes);
  Now.Count = number(What.Count, Fields.Count, Now.Succeeded, 1);
  Now.Pool = What.Pool.isGiven() ? pointer(What.Pool, Fields.Pool, Now.Succeeded) : null();
  Now.Old = What.What == Allocator::Reallocate ? asPointer(Call.Arguments[What.Pointer]) : null();
  Value *Name = What.Named.empty() ? nullptr : pointer(What.NamedBy, Fields.Name, Now.Succeeded);
  if (What.Each >= 0) {
    Value *Successes = Build.CreateMul(wide(Call.Arguments[What.Each]), wide(Now.Succeeded));
    Now.Address = Build.CreateGEP(Build.getPtrTy(), Now.Address, {beginLoop(Successes)});
  }
  Value *Address = !What.Out.isGiven() || What.Out.isField() ? Now.Address : null();
  if (What.AtEntry && Name) // a caller of a caller asks whether the name told the type
    Address = asPointer(note(names::NoteField, Build.getInt64Ty(),
                             {Build.getInt32(1), Now.Address, Build.getInt64(0), Build.getInt32(8)}));
  forEachType(What, Address, Name, Type, Types, [&](DIType *Of, bool) { giveOne(What, Now, Of); });
}

void NoteBuilder::handOn(const Allocator &What, const NotedFields *Fields, DIType *Type, const DebugTypes &Types) {
  Value *Succeeded = Build.CreateZExt(Build.CreateIsNotNull(Call.Result), Build.getInt32Ty());
  Value *Name = What.Named.empty() || !Fields ? nullptr : pointer(What.NamedBy, Fields->Name, Succeeded);
  forEachType(What, null(), Name, Type, Types, [&](DIType *Of, bool IsNamed) {
    if (IsNamed)
      received(Of, DPROF_RECEIVED_ANY);
    else
      receivedUnlessNamed(Of);
  });
}

// Once for each type that the name can say, each with its description, and once for none of them.
void NoteBuilder::forEachType(const Allocator &What, Value *Address, Value *Name, DIType *Type, const DebugTypes &Types,
                              function_ref<void(DIType *, bool)> Give) {
  if (!Name) return Give(Type, false);
  LLVMContext &C = Build.getContext();
  std::string Names;
  for (const auto &Each : What.Named) Names += Each.first + '\0';
  auto *Text = ConstantDataArray::getString(C, Names); // it ends in an empty name
  Module &M = *Build.GetInsertBlock()->getModule();
  auto *Known = new GlobalVariable(M, Text->getType(), true, GlobalValue::PrivateLinkage, Text, "__dprof_names");
  Value *Which = note(names::NoteNamed, Build.getInt32Ty(), {Address, Name, Known});
  BasicBlock *Before = Build.GetInsertBlock();
  BasicBlock *After = SplitBlock(Before, position());
  BasicBlock *Otherwise = newBlock(*After);
  Before->getTerminator()->eraseFromParent();
  Build.SetInsertPoint(Before);
  SwitchInst *Switch = Build.CreateSwitch(Which, Otherwise, What.Named.size());
  Switch->setDebugLoc(Where);
  MapVector<StringRef, BasicBlock *> BlockOf;
  for (size_t At = 0; At < What.Named.size(); ++At) {
    BasicBlock *&Block = BlockOf[What.Named[At].second];
    if (!Block) Block = newBlock(*After);
    Switch->addCase(Build.getInt32(At + 1), Block);
  }
  auto fill = [&](BasicBlock *Block, DIType *Of, bool IsNamed) {
    Build.SetInsertPoint(Block);
    Build.SetCurrentDebugLocation(Where);
    Give(Of, IsNamed);
    Build.CreateBr(After);
  };
  fill(Otherwise, Type, false);
  for (auto &[Named, Block] : BlockOf) fill(Block, Types.named(Named, C), true);
  Build.SetInsertPoint(&*After->getFirstInsertionPt());
  Build.SetCurrentDebugLocation(Where);
}

void NoteBuilder::giveOne(const Allocator &What, const Given &Now, DIType *Type) {
  CallInst *Made;
  llvm::Type *Pointer = Build.getPtrTy();
  if (What.Out.isGiven() && !What.Out.isField())
    Made = note(names::NoteOut, Pointer, {Now.Address, Now.Size, Now.Count, Now.Pool, Now.Succeeded, Now.Old});
  else if (What.What == Allocator::Reallocate)
    Made = note(names::NoteReallocate, Pointer, {Now.Address, Now.Size, Now.Count, Now.Pool, Now.Old});
  else
    Made = note(names::NoteAllocate, Pointer, {Now.Address, Now.Size, Now.Count, Now.Pool});
  Made->addFnAttr(Attribute::NoMerge); // it would lose its description
  describe(*Made, Type);
}

void NoteBuilder::receive(const Allocator &What, DIType *Type) {
  if (What.Named.empty())
    received(Type, DPROF_RECEIVED_ANY);
  else
    receivedUnlessNamed(Type);
}

// Where a name told the type, that stands, and the caller says its line alone.
void NoteBuilder::receivedUnlessNamed(DIType *Type) {
  received(Type, DPROF_RECEIVED_UNNAMED);
  received(nullptr, DPROF_RECEIVED_NAMED);
}

void NoteBuilder::received(DIType *Type, unsigned Of) {
  CallInst *Made = note(names::NoteReceived, Build.getPtrTy(), {asPointer(Call.Result), Build.getInt32(Of)});
  Made->addFnAttr(Attribute::NoMerge); // it would lose its description
  describe(*Made, Type);
}

// 1 if the call's result says that it succeeded, or nothing says otherwise.
Value *NoteBuilder::succeeded(Allocator::Success Succeeds) {
  if (Succeeds == Allocator::NotNull) return Build.getInt32(1);
  Value *IsZero = Build.CreateIsNull(Call.Result);
  return Build.CreateZExt(Succeeds == Allocator::Zero ? IsZero : Build.CreateNot(IsZero), Build.getInt32Ty());
}

// The address of the memory for which the pointer stands.
Value *NoteBuilder::address(Value *Pointer, const Allocator &What, const NotedFields &Fields) {
  Pointer = asPointer(Pointer);
  if (What.Table.empty()) return Pointer;
  Value *Table = global(What.Table, Build.getPtrTy()), *Memory = global(What.Memory, Build.getInt64Ty());
  return note(names::NoteUnit, Build.getPtrTy(),
              {Pointer, Table, Build.getInt64(Fields.Element), Memory, Build.getInt64(What.Unit)});
}

// The field, as a number; of an array its address.
Value *NoteBuilder::read(const ArgumentPath &Path, const FieldRead &Field, Value *Guard) {
  Value *At = Call.Arguments[Path.Argument];
  for (size_t Step = 0; Step < Field.Offsets.size(); ++Step) {
    bool IsLast = Step + 1 == Field.Offsets.size();
    unsigned Bytes = IsLast ? Field.Bytes : 8;
    At = note(names::NoteField, Build.getInt64Ty(),
              {Guard, asPointer(At), Build.getInt64(Field.Offsets[Step]), Build.getInt32(Bytes)});
  }
  return At;
}

Value *NoteBuilder::number(const ArgumentPath &Path, const FieldRead &Field, Value *Guard, uint64_t Otherwise) {
  if (!Path.isGiven()) return Build.getInt64(Otherwise);
  return Path.isField() ? read(Path, Field, Guard) : wide(Call.Arguments[Path.Argument]);
}

Value *NoteBuilder::pointer(const ArgumentPath &Path, const FieldRead &Field, Value *Guard) {
  return Path.isField() ? asPointer(read(Path, Field, Guard)) : Call.Arguments[Path.Argument];
}

Value *NoteBuilder::wide(Value *Number) { return Build.CreateZExtOrTrunc(Number, Build.getInt64Ty()); }

Value *NoteBuilder::asPointer(Value *Address) {
  return Address->getType()->isPointerTy() ? Address : Build.CreateIntToPtr(Address, Build.getPtrTy());
}

Value *NoteBuilder::null() { return ConstantPointerNull::get(Build.getPtrTy()); }

Value *NoteBuilder::global(StringRef Name, Type *Type) {
  return Build.GetInsertBlock()->getModule()->getOrInsertGlobal(Name, Type);
}

BasicBlock *NoteBuilder::newBlock(BasicBlock &Before) {
  BasicBlock *New = BasicBlock::Create(Build.getContext(), "", Before.getParent(), &Before);
  useRecordsOf(*New, Before);
  return New;
}

// From here on, code is built inside the loop. Returns the number of the turn.
Value *NoteBuilder::beginLoop(Value *Count) {
  BasicBlock *Before = Build.GetInsertBlock();
  BasicBlock *After = SplitBlock(Before, position());
  BasicBlock *Head = newBlock(*After), *Body = newBlock(*After);
  Before->getTerminator()->replaceSuccessorWith(After, Head);
  Build.SetInsertPoint(Head);
  Build.SetCurrentDebugLocation(Where);
  PHINode *Turn = Build.CreatePHI(Build.getInt64Ty(), 2);
  Build.CreateCondBr(Build.CreateICmpULT(Turn, Count), Body, After);
  Build.SetInsertPoint(Body);
  Build.SetCurrentDebugLocation(Where);
  Value *Next = Build.CreateAdd(Turn, Build.getInt64(1));
  Instruction *Again = Build.CreateBr(Head);
  Turn->addIncoming(Build.getInt64(0), Before);
  Turn->addIncoming(Next, Body);
  Build.SetInsertPoint(Again);
  Build.SetCurrentDebugLocation(Where);
  return Turn;
}

} // namespace dprof
