// Stage: plugin, "emit". A function's regions -> their part of the unit, and the instructions that write their paths.
#ifndef DPROF_PASS_REGION_EMITTER_H
#define DPROF_PASS_REGION_EMITTER_H

#include "emitter.h"
#include "regions.h"
#include "unit_writer.h"

namespace dprof {

// Slots get their index. A slot's base has one already.
void writeRecord(RecordPlan &Record, uint32_t Function, UnitWriter &Unit, Statistics &Counts);

// Gives each root's entry in the unit.
llvm::DenseMap<unsigned, uint32_t> writeRegions(PathGraph &Graph, const llvm::Function &F, UnitWriter &Unit,
                                                Statistics &Counts);

// `Entries`: the result of `writeRegions`.
void emitPaths(const PathGraph &Graph, const llvm::DenseMap<unsigned, uint32_t> &Entries, const RuntimeSymbols &Runtime,
               ThreadCursor &Cursor, const UnitWriter &Unit);

} // namespace dprof

#endif
