// Stage: plugin. "0->object_size": an argument, or a field that it leads to -> where the field lies, as the debug
// information says.
#include "argument_path.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace dprof {

namespace {

constexpr unsigned MostPointers = 8; // on the way
constexpr unsigned MostListed = 8;   // fields that an error names

bool isName(StringRef Text) {
  return !Text.empty() && !isDigit(Text[0]) && all_of(Text, [](char C) { return isAlnum(C) || C == '_'; });
}

struct Member {
  DIType *Type = nullptr;
  uint64_t Offset = 0;
  bool IsBits = false;
};

// A member by its name, of the struct itself or of an anonymous one in it.
std::optional<Member> findMember(DICompositeType *Record, StringRef Name, const DebugTypes &Types) {
  for (DINode *Node : Record->getElements()) {
    auto *Each = dyn_cast<DIDerivedType>(Node);
    if (!Each || (Each->getTag() != dwarf::DW_TAG_member && Each->getTag() != dwarf::DW_TAG_inheritance)) continue;
    uint64_t Offset = Each->getOffsetInBits() / 8;
    if (!Each->isStaticMember() && Each->getName() == Name)
      return Member{Types.strip(Each->getBaseType()), Offset, Each->isBitField()};
    DICompositeType *Inner = DebugTypes::asRecord(Types.strip(Each->getBaseType()));
    if (!Inner || !Each->getName().empty()) continue;
    if (auto Found = findMember(Inner, Name, Types)) return Member{Found->Type, Offset + Found->Offset, Found->IsBits};
  }
  return std::nullopt;
}

std::string membersOf(DICompositeType *Record) {
  SmallVector<StringRef, MostListed + 1> Names;
  for (DINode *Node : Record->getElements())
    if (auto *Each = dyn_cast<DIDerivedType>(Node); Each && !Each->getName().empty()) Names.push_back(Each->getName());
  bool HasMore = Names.size() > MostListed;
  if (HasMore) Names.truncate(MostListed);
  return Names.empty() ? "it has none" : "there are " + join(Names, ", ") + (HasMore ? ", ..." : "");
}

// Says why the last field cannot be read as `Kind`; empty if it can.
std::string unfit(FieldKind Kind, const Member &Last, const DebugTypes &Types) {
  uint64_t Bytes = Types.sizeBytes(Last.Type);
  bool IsPointer = DebugTypes::isPointer(Last.Type);
  if (Last.IsBits) return "is a bit-field";
  switch (Kind) {
    case FieldKind::Number:
      if (IsPointer || DebugTypes::asRecord(Last.Type) || Types.element(Last.Type) || DebugTypes::isFloat(Last.Type) ||
          !Bytes || Bytes > 8)
        return "is no integer";
      return "";
    case FieldKind::Pointer: return IsPointer ? "" : "is no pointer";
    case FieldKind::Text: {
      DIType *Of = IsPointer ? Types.pointee(Last.Type) : Types.element(Last.Type);
      return Of && Types.sizeBytes(Of) == 1 ? "" : "is no string: expected char * or char[]";
    }
  }
  return "";
}

} // namespace

std::optional<ArgumentPath> ArgumentPath::parse(StringRef Text) {
  ArgumentPath Path;
  SmallVector<StringRef, 4> Steps;
  Text.split(Steps, "->");
  if (Steps[0].getAsInteger(10, Path.Argument) || Path.Argument < 0 || Path.Argument > MostArguments ||
      Steps.size() > MostPointers)
    return std::nullopt;
  for (StringRef Step : drop_begin(Steps)) {
    SmallVector<StringRef, 4> Names;
    Step.split(Names, '.');
    if (!all_of(Names, isName)) return std::nullopt;
    auto &Into = Path.Fields.emplace_back();
    for (StringRef Name : Names) Into.push_back(Name.str());
  }
  return Path;
}

std::optional<FieldRead> findFieldRead(const ArgumentPath &Path, FieldKind Kind, DIType *Pointee,
                                       const DebugTypes &Types, std::string &Error) {
  FieldRead Read;
  Member Last;
  std::string At = std::to_string(Path.Argument);
  for (size_t Step = 0; Step < Path.Fields.size(); ++Step) {
    if (Step) {
      if (!DebugTypes::isPointer(Last.Type)) {
        Error = At + " is no pointer: write '.' for a field inside it";
        return std::nullopt;
      }
      Pointee = Types.pointee(Last.Type);
    }
    Last = {Pointee, 0, false};
    uint64_t Offset = 0;
    for (size_t Name = 0; Name < Path.Fields[Step].size(); ++Name) {
      StringRef Field = Path.Fields[Step][Name];
      DICompositeType *Record = DebugTypes::asRecord(Last.Type);
      if (!Record && Last.Type) {
        bool IsPointer = DebugTypes::isPointer(Last.Type);
        Error = At + (Name ? "" : " points to") + (Name ? " is " : " ") + Types.spell(Last.Type) +
                ", which has no field '" + Field.str() + "'" + (IsPointer ? ": write '->' behind a pointer" : "");
        return std::nullopt;
      }
      if (!Record || Record->isForwardDecl() || !Record->getSizeInBits()) return std::nullopt;
      auto Found = findMember(Record, Field, Types);
      if (!Found) {
        Error = Types.spell(Record) + " has no field '" + Field.str() + "': " + membersOf(Record);
        return std::nullopt;
      }
      Offset += Found->Offset;
      Last = *Found;
      At += (Name ? "." : "->") + Field.str();
    }
    Read.Offsets.push_back(Offset);
  }
  if (std::string Why = unfit(Kind, Last, Types); !Why.empty()) {
    Error = At + " " + Why;
    return std::nullopt;
  }
  Read.Bytes = Types.element(Last.Type) ? 0 : Types.sizeBytes(Last.Type);
  Read.Type = Last.Type;
  return Read;
}

} // namespace dprof
