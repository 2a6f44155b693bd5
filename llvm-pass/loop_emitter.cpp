// Stage: plugin, "emit". A loop that is recorded once -> its region in the unit, and the instructions before and behind
// it that write its path: addresses before the first iteration; the number of iterations and the header at each exit.
// Inside the loop nothing is written.
#include "loop_emitter.h"

#include "region_emitter.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace dprof {

namespace {

// A window counts no more of one loop. No product of them overflows.
constexpr uint64_t ManyIterations = 1ull << 32;
constexpr unsigned BytesPerSlot = 8 / DPROF_SLOTS_PER_WORD;

uint32_t writeRegion(LoopPlan &Loop, const Function &F, UnitWriter &Unit, Statistics &Counts) {
  dprof_node Node{};
  Node.first_record = Unit.nextRecord();
  Node.record_count = Loop.Records.size();
  Node.flags = DPROF_NODE_ENDS;
  for (RecordPlan &Record : Loop.Records) writeRecord(Record, Unit.function(F), Unit, Counts);
  ++Counts.Loops;
  return Unit.region(Node.record_count, Node, {}, DPROF_REGION_LOOP);
}

class LoopEmitter {
public:
  LoopEmitter(const LoopPlan &Loop, uint32_t Region, const RuntimeSymbols &Runtime, ThreadCursor &Cursor,
              const UnitWriter &Unit)
      : Loop(Loop), Region(Region), Unit(Unit), Cursor(Cursor), Emit(Runtime, Cursor) {}

  void run() {
    Value *Whole = Loop.Iterations ? nullptr : countIterations();
    begin();
    for (const LoopExit &Exit : Loop.Exits) leave(Exit, Whole);
  }

private:
  // The number of iterations before the current one.
  Value *countIterations() {
    auto *Word = Type::getInt64Ty(Loop.Header->getContext());
    PHINode *Count = PHINode::Create(Word, 2);
    Count->insertInto(Loop.Header, Loop.Header->begin());
    BuilderBefore Build(Loop.Latch->getTerminator());
    Value *Next = Build.CreateAdd(Count, Build.getInt64(1));
    for (BasicBlock *From : predecessors(Loop.Header))
      Count->addIncoming(Loop.Blocks.contains(From) ? Next : Build.getInt64(0), From);
    return Count;
  }

  void begin() {
    Words = 2; // header and iterations
    for (const LoopAddress &Address : Loop.Addresses)
      Words += Address.Base >= 0 ? 0 : Address.Constant == DPROF_STRIDE_LOGGED ? 2 : 1;
    Value *Spent = nullptr;
    if (Loop.Iterations) {
      BuilderBefore Build(Loop.Entering);
      Spent = bytesSpent(Build, Loop.Iterations);
    }
    PathPlace Place = Emit.reserve(Loop.Entering, Words, 0, Spent);
    BuilderBefore Build(Loop.Entering);
    Emit.seek(Place, 1);
    for (const LoopAddress &Address : Loop.Addresses) {
      if (Address.Base >= 0) continue;
      Emit.word(Build, Address.First);
      if (Address.Constant == DPROF_STRIDE_LOGGED)
        Emit.word(Build, Build.CreateSExtOrTrunc(Address.Stride, Build.getInt64Ty()));
    }
  }

  // The bytes of the buffer, in whole words, that the loop's slots would have taken.
  Value *bytesSpent(IRBuilder<> &Build, Value *Iterations) const {
    Value *Counted = Build.CreateBinaryIntrinsic(Intrinsic::umin, Iterations, Build.getInt64(ManyIterations));
    return Build.CreateAnd(Build.CreateMul(Counted, Build.getInt64(Loop.Addresses.size() * BytesPerSlot)),
                           ~uint64_t(7));
  }

  // No other code has written to the thread's buffer since `begin`, so the place is loaded again: to keep it would cost
  // the loop a register.
  void leave(const LoopExit &Exit, Value *Counted) {
    BuilderBefore Build(&*Exit.To->getFirstInsertionPt());
    bool IsWhole = Exit.Records == Loop.Records.size();
    Value *Iterations = Loop.Iterations;
    if (!Iterations) Iterations = IsWhole ? Build.CreateAdd(Counted, Build.getInt64(1)) : Counted;
    Value *Here = Cursor.loadShared(Build);
    PathPlace Place{Here, Here, -1};
    Emit.seek(Place, 0);
    Emit.word(Build, Iterations);
    Emit.publish(Build, Place, Unit.pathAddress(Region, IsWhole ? 0 : Exit.Records), Words - 1);
    spend(Build, Iterations);
  }

  // A short loop's own words stand for as many slots as it has made: it spends nothing more.
  void spend(IRBuilder<> &Build, Value *Iterations) {
    uint64_t Short = uint64_t(Words) * DPROF_SLOTS_PER_WORD / Loop.Addresses.size();
    DebugLoc Where = Build.getCurrentDebugLocation();
    Instruction *Long = SplitBlockAndInsertIfThen(Build.CreateICmpUGT(Iterations, Build.getInt64(Short)),
                                                  &*Build.GetInsertPoint(), false);
    Build.SetInsertPoint(Long);
    Build.SetCurrentDebugLocation(Where);
    Cursor.spend(Build, bytesSpent(Build, Iterations));
  }

  const LoopPlan &Loop;
  uint32_t Region;
  const UnitWriter &Unit;
  ThreadCursor &Cursor;
  PathEmitter Emit;
  unsigned Words = 0;
};

} // namespace

void emitLoop(LoopPlan &Loop, const Function &F, const RuntimeSymbols &Runtime, ThreadCursor &Cursor, UnitWriter &Unit,
              Statistics &Counts) {
  uint32_t Region = writeRegion(Loop, F, Unit, Counts);
  LoopEmitter(Loop, Region, Runtime, Cursor, Unit).run();
}

} // namespace dprof
