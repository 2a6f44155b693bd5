// Stage: plugin. A function's plan -> its records in the order in which they are made, in *pieces*: stretches of a
// block that nothing interrupts which could record in between.
#ifndef DPROF_PASS_PIECES_H
#define DPROF_PASS_PIECES_H

#include "receivers.h"
#include "segments.h"

namespace dprof {

struct SlotPlan {
  AccessSlot Access;
  llvm::Instruction *At; // its words are stored before it, its loaded values behind it
  dprof_slot Described;
  const SlotPlan *Base = nullptr; // derived: its address is that slot's and `Described.delta`
  uint32_t Index = 0;             // in the unit
};

struct RecordPlan {
  explicit RecordPlan(dprof_record_tag Tag) : Tag(Tag) {}
  dprof_record_tag Tag;
  uint8_t Flags = 0;
  uint32_t Instructions = 0;
  unsigned Words = 0; // as the unit counts them
  uint32_t Index = 0; // in the unit, once it is written
  std::vector<SlotPlan> Slots;
  const SitePlan *Site = nullptr;
  const llvm::CallBase *Call = nullptr; // follows it at once
  llvm::Instruction *Begin = nullptr;   // its first word is stored before it
  llvm::Instruction *End = nullptr;     // it is whole before or behind it
  bool EndsBehind = false;
};

struct Piece {
  std::vector<RecordPlan> Records;
  bool BeginsBlock = false;
  bool ReachesEnd = false; // nothing interrupts it before the block's terminator, whose edges can hold code
  bool EndsAtCall = false; // somebody else may move the cursor
  unsigned words() const;
};

struct BlockPieces {
  llvm::BasicBlock *Block;
  llvm::Instruction *Terminator; // stays what it is when the block is split
  std::vector<Piece> Pieces;
  std::vector<const llvm::CallBase *> OtherCalls; // that follow no record at once
};

// The blocks in reverse post-order from `BodyBegin`'s on. `Counts` hears of sites that have no place for a record.
std::vector<BlockPieces> cutIntoPieces(const FunctionPlan &Plan, llvm::Instruction *BodyBegin,
                                       const Receivers &Received, Statistics &Counts);

// Gives each block that does more than to lead on a record before its first call: a marker, if it has no other there.
void markBlocks(std::vector<BlockPieces> &Body);

// The record of an allocation by `invoke` has its place on the normal edge: gives that edge a block of its own where it
// shares one.
void separateNormalEdges(const FunctionPlan &Plan);

} // namespace dprof

#endif
