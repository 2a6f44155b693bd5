// Stage: plugin. Collects the descriptions of a translation unit's records and paths, and writes them as the constant
// blob of unit_format.h.
#include "unit_writer.h"

#include "field_path.h"
#include "names.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstring>

using namespace llvm;

namespace dprof {

UnitWriter::UnitWriter(Module &M, const DebugTypes &Types)
    : M(M), Debug(Types), OpenMp(M), Received(M), System(M), Strings(1, '\0'), Types(1), Variables(1), Functions(1),
      Positions(1), Calls(1) {
  auto *Byte = Type::getInt8Ty(M.getContext());
  auto placeholder = [&](StringRef Name) {
    return new GlobalVariable(M, Byte, /*isConstant=*/true, GlobalValue::ExternalLinkage, nullptr, Name);
  };
  RegionTable = placeholder("__dprof_region_table");
  VariableTable = placeholder("__dprof_variable_table");
  StringAt[""] = 0;
}

uint32_t UnitWriter::string(StringRef Text) {
  auto [Entry, New] = StringAt.try_emplace(Text, Strings.size());
  if (New) {
    Strings.append(Text.begin(), Text.end());
    Strings.push_back('\0');
  }
  return Entry->second;
}

uint32_t UnitWriter::file(const DIFile *File) {
  if (!File || File->getFilename().empty()) return 0;
  StringRef Name = File->getFilename(), Directory = File->getDirectory();
  auto [Entry, New] = FileAt.try_emplace((Directory + Twine('\0') + Name).str(), Strings.size());
  if (New) {
    Strings.append(Name.begin(), Name.end());
    Strings.push_back('\0');
    if (!Directory.empty()) Files.push_back({Entry->second, string(Directory)});
  }
  return Entry->second;
}

uint32_t UnitWriter::scalar(StringRef Name, uint64_t SizeBytes) {
  auto [Entry, New] = ScalarAt.try_emplace((Name + "/" + Twine(SizeBytes)).str(), Types.size());
  if (New) {
    dprof_type T{};
    T.name = string(Name);
    T.size_bytes = SizeBytes;
    T.kind = Name.ends_with("*") || Name.ends_with("&") ? DPROF_TYPE_POINTER : DPROF_TYPE_SCALAR;
    Types.push_back(T);
  }
  return Entry->second;
}

uint32_t UnitWriter::type(DIType *Given) {
  DIType *T = Debug.strip(Given);
  if (!T) return 0;
  if (uint32_t Known = TypeAt.lookup(T)) return Known;
  DIType *Element = Debug.element(T);
  DICompositeType *Record = DebugTypes::asRecord(T);
  if (!Element && !Record) return TypeAt[T] = scalar(Debug.spell(T), Debug.sizeBytes(T));
  uint32_t Index = Types.size();
  TypeAt[T] = Index;
  dprof_type Entry{};
  Entry.size_bytes = Debug.sizeBytes(T);
  Entry.name = string(Debug.spell(T));
  Entry.file = file(T->getFile());
  Entry.line = T->getLine();
  Entry.kind = Element                                   ? DPROF_TYPE_ARRAY
               : T->getTag() == dwarf::DW_TAG_union_type ? DPROF_TYPE_UNION
               : T->getTag() == dwarf::DW_TAG_class_type ? DPROF_TYPE_CLASS
                                                         : DPROF_TYPE_STRUCT;
  Types.push_back(Entry);
  if (Element)
    Types[Index].element = type(Element);
  else
    addMembers(Index, Record);
  return Index;
}

uint32_t UnitWriter::allocated(DIType *Element) {
  uint32_t Index = type(Element);
  if (Types[Index].kind != DPROF_TYPE_SCALAR && Types[Index].kind != DPROF_TYPE_POINTER) return Index;
  auto [Entry, New] = ArrayOf.try_emplace(Index, Types.size());
  if (New) {
    dprof_type T{};
    T.name = string(std::string(&Strings[Types[Index].name]) + "[]");
    T.kind = DPROF_TYPE_ARRAY;
    T.element = Index;
    Types.push_back(T);
  }
  return Entry->second;
}

void UnitWriter::addMembers(uint32_t Index, DICompositeType *Record) {
  std::vector<dprof_member> Own; // member types may add members of their own meanwhile
  for (DIDerivedType *Member : dataMembers(Record)) {
    dprof_member Entry{};
    Entry.offset_bytes = memberOffsetBytes(Member);
    Entry.type = type(Member->getBaseType());
    bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    Entry.name = string(IsBase ? Debug.spell(Member->getBaseType()) : Member->getName().str());
    Entry.flags = (IsBase ? DPROF_MEMBER_BASE_CLASS : 0) | (Member->isBitField() ? DPROF_MEMBER_BIT_FIELD : 0);
    if (Member->isBitField())
      Entry.bits =
          uint32_t((Member->getOffsetInBits() - Entry.offset_bytes * 8) << 16 | (Member->getSizeInBits() & 0xffff));
    Own.push_back(Entry);
  }
  Types[Index].first_member = Members.size();
  Types[Index].member_count = Own.size();
  Members.insert(Members.end(), Own.begin(), Own.end());
}

uint32_t UnitWriter::variable(const DIVariable *Variable, bool IsThreadLocal) {
  if (!Variable) return 0;
  if (uint32_t Known = VariableAt.lookup(Variable)) return Known;
  dprof_variable Entry{};
  auto *Local = dyn_cast<DILocalVariable>(Variable);
  Entry.kind = Local ? DPROF_VARIABLE_STACK : IsThreadLocal ? DPROF_VARIABLE_THREAD_LOCAL : DPROF_VARIABLE_GLOBAL;
  Entry.name = string(Variable->getName());
  Entry.type = type(Variable->getType());
  Entry.size_bytes = Debug.sizeBytes(Variable->getType());
  Entry.file = file(Variable->getFile());
  Entry.line = Variable->getLine();
  Entry.function = Local ? function(Local->getScope()->getSubprogram()) : 0;
  Variables.push_back(Entry);
  return VariableAt[Variable] = Variables.size() - 1;
}

uint32_t UnitWriter::variable(const GlobalVariable &Global, StringRef Type, StringRef Name) {
  dprof_variable Entry{};
  Entry.kind = DPROF_VARIABLE_GLOBAL;
  Entry.name = string(Name);
  Entry.size_bytes = M.getDataLayout().getTypeAllocSize(Global.getValueType());
  Entry.type = scalar(Type, Entry.size_bytes);
  Variables.push_back(Entry);
  setAlignment(Variables.size() - 1, Global);
  return Variables.size() - 1;
}

void UnitWriter::setAlignment(uint32_t Variable, const GlobalVariable &Global) {
  Variables[Variable].alignment = 1 + Log2(M.getDataLayout().getPreferredAlign(&Global));
}

uint32_t UnitWriter::function(const DISubprogram *Subprogram) {
  if (!Subprogram) return 0;
  auto [Entry, New] = SubprogramAt.try_emplace(Subprogram, Functions.size());
  if (!New) return Entry->second;
  uint32_t Index = Entry->second;
  ParallelRegion Region = OpenMp.of(Subprogram);
  const DISubprogram *Named = Region.Source ? Region.Source : Subprogram;
  std::string Name = Debug.shorten(Named->getName().empty() ? Named->getLinkageName() : Named->getName());
  for (const DIScope *Scope = Named->getScope(); Scope; Scope = Scope->getScope()) {
    if (auto *Space = dyn_cast<DINamespace>(Scope)) {
      if (!Space->getExportSymbols() || Space->getName().empty())
        Name = (Space->getName().empty() ? "(anonymous namespace)" : Space->getName().str()) + "::" + Name;
    } else if (isa<DICompositeType>(Scope)) {
      Name = Debug.spell(const_cast<DIType *>(cast<DIType>(Scope))) + "::" + Name;
      break;
    }
  }
  if (Region.Source) Name += ":" + std::to_string(Region.Line);
  dprof_function F{};
  F.name = string(Name);
  F.linkage_name = string(Subprogram->getLinkageName().empty() ? Subprogram->getName() : Subprogram->getLinkageName());
  F.file = file(*Subprogram);
  F.line = Region.Source ? Region.Line : Subprogram->getLine();
  Functions.push_back(F);
  return Index;
}

uint32_t UnitWriter::function(const Function &F) {
  if (const DISubprogram *Subprogram = F.getSubprogram()) return function(Subprogram);
  auto [Entry, New] = FunctionAt.try_emplace(&F, Functions.size());
  if (New) {
    dprof_function Unnamed{};
    Unnamed.name = Unnamed.linkage_name = string(F.getName());
    Functions.push_back(Unnamed);
  }
  return Entry->second;
}

uint32_t UnitWriter::file(const DIScope &Of) {
  uint32_t Name = file(Of.getFile());
  if (KnownFiles.try_emplace(Name, true).second && System.has(Of)) FilesOfSystem.push_back(Name);
  return Name;
}

uint32_t lineOf(const DILocation &Where) {
  return Where.getLine() ? Where.getLine() : Where.getScope()->getSubprogram()->getLine();
}

uint32_t UnitWriter::position(const DILocation *Where) {
  if (!Where) return 0;
  if (uint32_t Known = PositionAt.lookup(Where)) return Known;
  dprof_position Entry{};
  Entry.inlined_at = position(Where->getInlinedAt());
  Entry.function = function(Where->getScope()->getSubprogram());
  Entry.file = file(*Where->getScope());
  Entry.line = lineOf(*Where);
  Entry.column = std::min(Where->getColumn(), 0xffffu);
  Entry.receiver = receiver(Where);
  Positions.push_back(Entry);
  return PositionAt[Where] = Positions.size() - 1;
}

uint32_t UnitWriter::receiver(const DILocation *Where) { return Where ? string(Received.of(*Where)) : 0; }

uint32_t UnitWriter::call(uint32_t Function, const CallBase &Call) {
  dprof_call Entry{};
  Entry.function = Function;
  Entry.position = position(Call.getDebugLoc());
  const llvm::Function *Callee = Call.getCalledFunction();
  const DISubprogram *Known = Callee ? Callee->getSubprogram() : nullptr;
  if (Known)
    Entry.callee = string(Known->getLinkageName().empty() ? Known->getName() : Known->getLinkageName());
  else if (Callee)
    Entry.callee = string(Callee->getName());
  Calls.push_back(Entry);
  return Calls.size() - 1;
}

void UnitWriter::record(dprof_record Record, ArrayRef<dprof_slot> Own) {
  Record.first_slot = Slots.size();
  Record.slot_count = Own.size();
  Slots.insert(Slots.end(), Own.begin(), Own.end());
  Records.push_back(Record);
}

uint32_t UnitWriter::region(uint32_t PathCount, ArrayRef<dprof_node> OwnNodes, ArrayRef<dprof_edge> OwnEdges,
                            uint32_t Flags) {
  uint32_t Index = Regions.size();
  dprof_region Region{};
  Region.path_count = PathCount;
  Region.first_node = Nodes.size();
  Region.node_count = OwnNodes.size();
  Region.flags = Flags;
  Regions.push_back(Region);
  // Header words are addresses of entries plus path numbers: as many entries as keep them apart from the next region's.
  uint32_t Entries = (PathCount + sizeof(dprof_region) - 1) / sizeof(dprof_region);
  for (uint32_t Back = 1; Back < Entries; ++Back) {
    dprof_region Filler{};
    Filler.back = Back;
    Regions.push_back(Filler);
  }
  for (dprof_node Node : OwnNodes) {
    Node.first_edge += Edges.size();
    Nodes.push_back(Node);
  }
  Edges.insert(Edges.end(), OwnEdges.begin(), OwnEdges.end());
  return Index;
}

void UnitWriter::refusal(StringRef Reason, uint64_t Count) {
  Refusals.push_back({string(Reason), uint32_t(std::min<uint64_t>(Count, UINT32_MAX))});
}

Constant *UnitWriter::entry(GlobalVariable *Table, uint64_t Bytes) const {
  LLVMContext &C = M.getContext();
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(C), Table, ConstantInt::get(Type::getInt64Ty(C), Bytes));
}

Constant *UnitWriter::pathAddress(uint32_t Region, uint32_t Path) const {
  return entry(RegionTable, uint64_t(Region) * sizeof(dprof_region) + Path);
}

Constant *UnitWriter::variableAddress(uint32_t Variable) const {
  return entry(VariableTable, uint64_t(Variable) * sizeof(dprof_variable));
}

StringRef UnitWriter::finish() {
  dprof_unit_header Header{};
  Header.magic = DPROF_UNIT_MAGIC;
  Header.version = DPROF_UNIT_VERSION;
  Header.source = string(M.getSourceFileName());
  std::string Blob(sizeof(Header), '\0');
  auto align = [&] { Blob.resize((Blob.size() + 15) / 16 * 16, '\0'); };
  auto append = [&](const void *Data, size_t Bytes, uint32_t &Offset) {
    align();
    Offset = Blob.size();
    Blob.append(static_cast<const char *>(Data), Bytes);
  };
  auto table = [&](const auto &Rows, uint32_t &Offset, uint32_t &Count) {
    append(Rows.data(), Rows.size() * sizeof(Rows[0]), Offset);
    Count = Rows.size();
  };
  append(Strings.data(), Strings.size(), Header.strings_offset);
  Header.strings_bytes = Strings.size();
  table(Types, Header.types_offset, Header.types_count);
  table(Members, Header.members_offset, Header.members_count);
  table(Variables, Header.variables_offset, Header.variables_count);
  table(Functions, Header.functions_offset, Header.functions_count);
  table(Slots, Header.slots_offset, Header.slots_count);
  table(Records, Header.records_offset, Header.records_count);
  table(Regions, Header.regions_offset, Header.regions_count);
  table(Nodes, Header.nodes_offset, Header.nodes_count);
  table(Edges, Header.edges_offset, Header.edges_count);
  table(Refusals, Header.refusals_offset, Header.refusals_count);
  table(Files, Header.files_offset, Header.files_count);
  table(Positions, Header.positions_offset, Header.positions_count);
  table(Calls, Header.calls_offset, Header.calls_count);
  table(FilesOfSystem, Header.system_files_offset, Header.system_files_count);
  align();
  Header.size_bytes = Blob.size();
  std::memcpy(Blob.data(), &Header, sizeof(Header));

  Constant *Data = ConstantDataArray::getString(M.getContext(), Blob, /*AddNull=*/false);
  auto *Unit =
      new GlobalVariable(M, Data->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, Data, names::Unit);
  Unit->setSection(names::UnitSection);
  Unit->setAlignment(Align(16));
  if (Regions.empty()) // no code names it, but it has to reach the program
    appendToUsed(M, {Unit});
  for (auto [Table, Offset] :
       {std::pair(RegionTable, Header.regions_offset), std::pair(VariableTable, Header.variables_offset)}) {
    Table->replaceAllUsesWith(entry(Unit, Offset));
    Table->eraseFromParent();
  }
  return cast<ConstantDataArray>(Data)->getRawDataValues();
}

} // namespace dprof
