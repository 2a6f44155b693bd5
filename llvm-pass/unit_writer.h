// Stage: plugin. Collects the descriptions of a translation unit's records and paths, and writes them as the constant
// blob of unit_format.h.
#ifndef DPROF_PASS_UNIT_WRITER_H
#define DPROF_PASS_UNIT_WRITER_H

#include "debug_types.h"
#include "dprof/unit_format.h"
#include "parallel_regions.h"
#include "receivers.h"
#include "system_files.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include <vector>

namespace dprof {

// Line 0 is code that belongs to no line: the function's stands for it.
uint32_t lineOf(const llvm::DILocation &Where);

class UnitWriter {
public:
  UnitWriter(llvm::Module &M, const DebugTypes &Types);

  uint32_t string(llvm::StringRef Text);
  // The file's name as a string of its own, whose directory stands in the table of files.
  uint32_t file(const llvm::DIFile *File);
  llvm::StringRef typeName(uint32_t Type) const { return &Strings[Types[Type].name]; }
  uint32_t type(llvm::DIType *T);
  uint32_t scalar(llvm::StringRef Name, uint64_t SizeBytes);
  // The type of an allocation for `Element`: scalars and pointers become an array of unknown length.
  uint32_t allocated(llvm::DIType *Element);
  uint32_t variable(const llvm::DIVariable *Variable, bool IsThreadLocal = false);
  // Of the compiler's own, without debug information: a vtable, a directive's lock.
  uint32_t variable(const llvm::GlobalVariable &Global, llvm::StringRef Type, llvm::StringRef Name);
  uint32_t function(const llvm::DISubprogram *Subprogram);
  uint32_t function(const llvm::Function &F);
  uint32_t file(const llvm::DIScope &Of);
  // Null, or where a function was inlined: the unknown position.
  uint32_t position(const llvm::DILocation *Where);
  uint32_t call(uint32_t Function, const llvm::CallBase &Call);
  const Receivers &receivers() const { return Received; }
  // The receiver of what a call at that place returns: a string.
  uint32_t receiver(const llvm::DILocation *Where);

  // The indices that the next record and its first slot will have.
  uint32_t nextRecord() const { return Records.size(); }
  uint32_t nextSlot() const { return Slots.size(); }
  void record(dprof_record Record, llvm::ArrayRef<dprof_slot> Slots);
  // `Edges` has those of all nodes; each node's `first_edge` counts from their begin. Returns the region's entry.
  uint32_t region(uint32_t PathCount, llvm::ArrayRef<dprof_node> Nodes, llvm::ArrayRef<dprof_edge> Edges,
                  uint32_t Flags = 0);
  void refusal(llvm::StringRef Reason, uint64_t Count);
  // The constants are valid at once; `finish` settles their values.
  llvm::Constant *pathAddress(uint32_t Region, uint32_t Path) const;
  void setAlignment(uint32_t Variable, const llvm::GlobalVariable &Global);
  llvm::Constant *variableAddress(uint32_t Variable) const;

  // Returns the unit's bytes, which live as long as the module.
  llvm::StringRef finish();

private:
  void addMembers(uint32_t Index, llvm::DICompositeType *Record);
  llvm::Constant *entry(llvm::GlobalVariable *Table, uint64_t Bytes) const;

  llvm::Module &M;
  const DebugTypes &Debug;
  ParallelRegions OpenMp;
  Receivers Received;
  SystemFiles System;
  llvm::GlobalVariable *RegionTable, *VariableTable; // placeholders until the tables' places in the unit are known
  std::string Strings;
  std::vector<dprof_type> Types;
  std::vector<dprof_member> Members;
  std::vector<dprof_variable> Variables;
  std::vector<dprof_function> Functions;
  std::vector<dprof_slot> Slots;
  std::vector<dprof_record> Records;
  std::vector<dprof_region> Regions;
  std::vector<dprof_node> Nodes;
  std::vector<dprof_edge> Edges;
  std::vector<dprof_refusal> Refusals;
  std::vector<dprof_file> Files;
  std::vector<dprof_position> Positions;
  std::vector<dprof_call> Calls;
  std::vector<uint32_t> FilesOfSystem;
  llvm::StringMap<uint32_t> StringAt;
  llvm::StringMap<uint32_t> FileAt;
  llvm::DenseMap<const llvm::DIType *, uint32_t> TypeAt;
  llvm::StringMap<uint32_t> ScalarAt;
  llvm::DenseMap<uint32_t, uint32_t> ArrayOf;
  llvm::DenseMap<const llvm::DIVariable *, uint32_t> VariableAt;
  llvm::DenseMap<const llvm::DISubprogram *, uint32_t> SubprogramAt;
  llvm::DenseMap<const llvm::Function *, uint32_t> FunctionAt;
  llvm::DenseMap<const llvm::DILocation *, uint32_t> PositionAt;
  llvm::DenseMap<uint32_t, bool> KnownFiles; // by string
};

} // namespace dprof

#endif
