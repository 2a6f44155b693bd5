// Stage: plugin. Debug information types: stripping, spelling, and finding them by LLVM or TBAA name.
#include "debug_types.h"

#include "name_pattern.h"
#include "version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace dprof {

namespace {

bool isDecoration(unsigned Tag) {
  switch (Tag) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_template_alias: return true;
    default: return false;
  }
}

// "struct.ns::T.base.12" -> "struct.ns::T".
StringRef withoutSuffix(StringRef Name) {
  size_t Dot = Name.rfind('.');
  if (Dot != StringRef::npos && Dot + 1 < Name.size() && all_of(Name.substr(Dot + 1), isDigit))
    Name = Name.take_front(Dot);
  Name.consume_back(".base");
  return Name;
}

DIType *withoutDecoration(DIType *T) {
  while (T && isDecoration(T->getTag())) T = cast<DIDerivedType>(T)->getBaseType();
  return T;
}

// A scalar whose only names are typedefs, or that one does not know by its tag.
bool isScalar(const DIType *T) {
  if (isa<DIBasicType>(T)) return true;
  return T->getTag() == dwarf::DW_TAG_enumeration_type && T->getName().empty();
}

// The name that the program gave a scalar: not the library's own ("__uint64_t"), nor a member of a class
// ("std::vector<int>::value_type").
bool isName(const DIType *T) {
  StringRef Name = T->getName();
  bool IsReserved = Name.starts_with("__") || (Name.size() > 1 && Name[0] == '_' && toLower(Name[1]) != Name[1]);
  return T->getTag() == dwarf::DW_TAG_typedef && !Name.empty() && !IsReserved &&
         !isa_and_nonnull<DIType>(T->getScope());
}

StringRef keyword(const DICompositeType *T) {
  switch (T->getTag()) {
    case dwarf::DW_TAG_union_type: return "union";
    case dwarf::DW_TAG_class_type: return "class";
    case dwarf::DW_TAG_enumeration_type: return "enum";
    default: return "struct";
  }
}

} // namespace

DICompositeType *DebugTypes::asRecord(DIType *T) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(T);
  if (!Composite) return nullptr;
  switch (Composite->getTag()) {
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_union_type: return Composite;
    default: return nullptr;
  }
}

bool DebugTypes::isPointer(const DIType *T) {
  if (!T) return false;
  switch (T->getTag()) {
    case dwarf::DW_TAG_pointer_type:
    case dwarf::DW_TAG_reference_type:
    case dwarf::DW_TAG_rvalue_reference_type: return true;
    default: return false;
  }
}

DebugTypes::DebugTypes(const Module &M) : Layout(M.getDataLayout()) {
  for (const DICompileUnit *Unit : M.debug_compile_units())
    if (dprof::isCPlusPlus(*Unit)) IsCPlusPlus = true;
  DebugInfoFinder Finder;
  Finder.processModule(M);
  if (IsCPlusPlus) Templates.learn(Finder);
  for (DIType *T : Finder.types()) {
    if (T->getTag() != dwarf::DW_TAG_typedef) continue;
    auto *Record = asRecord(cast<DIDerivedType>(T)->getBaseType());
    if (Record && Record->getName().empty()) TypedefOf.try_emplace(Record, T->getName());
  }
  for (DIType *T : Finder.types()) add(T);
}

void DebugTypes::add(DIType *T) {
  DICompositeType *Record = asRecord(T);
  if (!Record || Record->isForwardDecl()) return;
  ByStructKey[structKey(Record)].push_back(Record);
  StringRef Identifier = Record->getIdentifier();
  StringRef TbaaName = Identifier.empty() ? Record->getName() : Identifier;
  if (TbaaName.empty()) return;
  auto [Found, New] = ByTbaaName.try_emplace(TbaaName, Record);
  if (!New && Found->second != Record) Found->second = nullptr;
  Definitions.try_emplace(Identifier.empty() ? qualifiedName(Record) : Identifier.str(), Record);
}

DIType *DebugTypes::named(StringRef Name, LLVMContext &C) const {
  unsigned Tag = Name.consume_front("union ") ? dwarf::DW_TAG_union_type : dwarf::DW_TAG_structure_type;
  Name.consume_front("struct ") || Name.consume_front("class ");
  for (const auto &Known : Definitions)
    if (std::string Own = qualifiedName(Known.second); Own == Name || shorten(Own) == Name) return Known.second;
  return recordNamed(C, Tag, Name);
}

DIType *DebugTypes::strip(DIType *Given) const {
  DIType *T = withoutDecoration(Given);
  if (T && T != Given && isScalar(T))
    for (DIType *Name = Given; isDecoration(Name->getTag()); Name = cast<DIDerivedType>(Name)->getBaseType())
      if (isName(Name)) return Name;
  if (auto *Record = asRecord(T); Record && Record->isForwardDecl()) {
    StringRef Identifier = Record->getIdentifier();
    if (DICompositeType *Definition = Definitions.lookup(Identifier.empty() ? qualifiedName(Record) : Identifier.str()))
      return Definition;
  }
  return T;
}

DIType *DebugTypes::pointee(DIType *T) const {
  T = strip(T);
  return isPointer(T) ? strip(cast<DIDerivedType>(T)->getBaseType()) : nullptr;
}

DIType *DebugTypes::element(DIType *T) const {
  DIType *Result = nullptr;
  for (T = strip(T); T && T->getTag() == dwarf::DW_TAG_array_type;)
    Result = T = strip(cast<DICompositeType>(T)->getBaseType());
  return Result;
}

DIType *DebugTypes::withoutArrays(DIType *T) const {
  T = strip(T);
  DIType *Element = element(T);
  return Element ? Element : T;
}

bool DebugTypes::isFloat(const DIType *T) {
  auto *Basic = dyn_cast_or_null<DIBasicType>(withoutDecoration(const_cast<DIType *>(T)));
  return Basic && Basic->getEncoding() == dwarf::DW_ATE_float;
}

uint64_t DebugTypes::sizeBytes(DIType *T) const {
  T = withoutDecoration(strip(T));
  if (!T) return 0;
  if (T->getTag() == dwarf::DW_TAG_reference_type || T->getTag() == dwarf::DW_TAG_rvalue_reference_type)
    return Layout.getPointerSize();
  return T->getSizeInBits() / 8;
}

StringRef DebugTypes::tagOrTypedef(const DICompositeType *T) const {
  return T->getName().empty() ? TypedefOf.lookup(T) : T->getName();
}

std::string DebugTypes::qualifiedName(const DIType *T) const {
  std::string Name = T->getName().str();
  if (auto *Composite = dyn_cast<DICompositeType>(T)) Name = tagOrTypedef(Composite).str();
  if (!IsCPlusPlus) return Name;
  for (const DIScope *Scope = T->getScope(); Scope; Scope = Scope->getScope()) {
    if (auto *Space = dyn_cast<DINamespace>(Scope)) {
      if (Space->getExportSymbols() && !Space->getName().empty()) continue; // inline namespaces are not written
      Name = (Space->getName().empty() ? "(anonymous namespace)" : Space->getName().str()) + "::" + Name;
    } else if (auto *Outer = dyn_cast<DICompositeType>(Scope)) {
      Name = tagOrTypedef(Outer).str() + "::" + Name;
    } else if (auto *Function = dyn_cast<DISubprogram>(Scope)) {
      Name = Function->getName().str() + "()::" + Name;
      break;
    }
  }
  return Name;
}

std::string DebugTypes::structKey(const DICompositeType *T) const {
  StringRef Name = tagOrTypedef(T);
  if (Name.empty()) return (keyword(T) + ".anon").str();
  std::string Key = (keyword(T) + "." + withoutTemplateArguments(qualifiedName(T))).str();
  return Key;
}

bool DebugTypes::matches(const StructType *S, const DICompositeType *T) const {
  if (!S->hasName() || !S->isSized()) return false;
  bool IsBase = S->getName().contains(".base");
  uint64_t Size = Layout.getTypeAllocSize(const_cast<StructType *>(S));
  uint64_t Declared = T->getSizeInBits() / 8;
  if (IsBase ? Size > Declared : Size != Declared) return false;
  return withoutTemplateArguments(withoutSuffix(S->getName())) == structKey(T);
}

DICompositeType *DebugTypes::forStruct(const StructType *S) const {
  if (!S->hasName()) return nullptr;
  auto Found = ByStructKey.find(withoutTemplateArguments(withoutSuffix(S->getName())));
  if (Found == ByStructKey.end() || Found->getKey().ends_with(".anon")) return nullptr;
  DICompositeType *Only = nullptr;
  for (DICompositeType *Candidate : Found->second) {
    if (!matches(S, Candidate)) continue;
    if (Only && spell(Only) != spell(Candidate)) return nullptr;
    Only = Candidate;
  }
  return Only;
}

DICompositeType *DebugTypes::forTbaa(StringRef Name) const { return ByTbaaName.lookup(Name); }

std::string DebugTypes::spell(DIType *Spelled) const {
  DIType *T = strip(Spelled);
  if (!T) return "void";
  if (DIType *Element = element(T)) return spell(Element) + "[]";
  if (T->getName() == "__vtbl_ptr_type") return "vtable entry";
  if (isPointer(T)) {
    StringRef Mark = T->getTag() == dwarf::DW_TAG_pointer_type     ? "*"
                     : T->getTag() == dwarf::DW_TAG_reference_type ? "&"
                                                                   : "&&";
    DIType *To = strip(cast<DIDerivedType>(T)->getBaseType());
    auto *Function = dyn_cast_or_null<DISubroutineType>(To);
    if (!Function) {
      std::string Name = spell(To);
      return Name + (!Name.empty() && Name.back() == '*' ? "" : " ") + Mark.str();
    }
    DITypeRefArray Types = Function->getTypeArray();
    std::string Arguments;
    for (unsigned I = 1; I < Types.size(); ++I) Arguments += (I > 1 ? ", " : "") + (Types[I] ? spell(Types[I]) : "...");
    return spell(Types.size() ? Types[0] : nullptr) + " (" + Mark.str() + ")(" + Arguments + ")";
  }
  if (auto *Composite = dyn_cast<DICompositeType>(T)) {
    if (tagOrTypedef(Composite).empty())
      return (keyword(Composite) + " (anonymous at " + sys::path::filename(T->getFilename()) + ":" +
              Twine(T->getLine()) + ")")
          .str();
    std::string Name = shorten(qualifiedName(T));
    bool TagSpelled = !IsCPlusPlus && !Composite->getName().empty();
    return TagSpelled ? (keyword(Composite) + " " + Name).str() : Name;
  }
  return qualifiedName(T);
}

} // namespace dprof
