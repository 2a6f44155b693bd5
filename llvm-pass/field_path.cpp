// Stage: plugin. (type, byte offset, size) -> the path of the field that lies there.
#include "field_path.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace dprof {

SmallVector<DIDerivedType *, 8> dataMembers(const DICompositeType *Record) {
  SmallVector<DIDerivedType *, 8> Members;
  for (DINode *Node : Record->getElements()) {
    auto *Member = dyn_cast_or_null<DIDerivedType>(Node);
    if (!Member || Member->isStaticMember()) continue;
    if (Member->getTag() == dwarf::DW_TAG_member ||
        (Member->getTag() == dwarf::DW_TAG_inheritance && !Member->isVirtual()))
      Members.push_back(Member);
  }
  return Members;
}

uint64_t memberOffsetBytes(const DIDerivedType *Member) {
  if (Member->isBitField())
    if (auto *Storage = dyn_cast_or_null<ConstantInt>(Member->getStorageOffsetInBits()))
      return Storage->getZExtValue() / 8;
  return Member->getOffsetInBits() / 8;
}

bool endsInArray(const DebugTypes &Types, DIType *T) {
  DICompositeType *Record = DebugTypes::asRecord(Types.strip(T));
  if (!Record || DebugTypes::isUnion(Record)) return false;
  auto Members = dataMembers(Record);
  if (Members.empty()) return false;
  DIType *Last = Members.back()->getBaseType();
  return Types.element(Last) || endsInArray(Types, Last);
}

namespace {

class PathFinder {
public:
  PathFinder(const DebugTypes &Types, FieldQuery Query) : Types(Types), Query(Query) {}

  Field find(DIType *T, uint64_t Offset, std::string Path) const {
    T = Types.strip(T);
    if (DIType *Element = Types.element(T)) return findInArray(T, Element, Offset, std::move(Path));
    if (DICompositeType *Record = DebugTypes::asRecord(T)) return findInRecord(Record, Offset, std::move(Path));
    return {std::move(Path), T};
  }

private:
  uint64_t reach() const { return Query.Size && *Query.Size ? *Query.Size : 1; }

  Field findInArray(DIType *Array, DIType *Element, uint64_t Offset, std::string Path) const {
    uint64_t ElementSize = Types.sizeBytes(Element);
    if (!ElementSize) return {std::move(Path), Array};
    uint64_t Inner = Offset % ElementSize;
    Path += "[]";
    bool Covers = Query.IsBlock && (!Query.Size || Inner + *Query.Size > ElementSize);
    if (Covers) return {std::move(Path), Array};
    if (DebugTypes::asRecord(Element) && Inner + reach() > ElementSize) return {std::move(Path), Element};
    return find(Element, Inner, std::move(Path));
  }

  Field findInRecord(DICompositeType *Record, uint64_t Offset, std::string Path) const {
    uint64_t Size = Types.sizeBytes(Record);
    bool Whole = Query.IsBlock && Offset == 0 && (!Query.Size || *Query.Size >= Size);
    if (Whole) return {std::move(Path), Record};
    DIDerivedType *Member = DebugTypes::isUnion(Record) ? unionMember(Record, Offset) : memberAt(Record, Offset);
    if (!Member) return {std::move(Path), Record};
    bool IsNamed = Member->getTag() == dwarf::DW_TAG_member && !Member->getName().empty();
    if (IsNamed) Path += (Path.empty() ? "" : ".") + Member->getName().str();
    return find(Member->getBaseType(), Offset - memberOffsetBytes(Member), std::move(Path));
  }

  bool holds(DIDerivedType *Member, uint64_t Offset, bool IsLast) const {
    uint64_t Begin = memberOffsetBytes(Member);
    if (Member->isBitField()) {
      uint64_t FirstBit = Member->getOffsetInBits();
      if (Query.Bit)
        return FirstBit <= Offset * 8 + *Query.Bit && Offset * 8 + *Query.Bit < FirstBit + Member->getSizeInBits();
      uint64_t EndByte = (FirstBit + Member->getSizeInBits() + 7) / 8;
      return Offset <= FirstBit / 8 && EndByte <= Offset + reach();
    }
    if (Offset < Begin) return false;
    DIType *T = Types.strip(Member->getBaseType());
    uint64_t Size = Types.sizeBytes(T);
    if (IsLast && (Types.element(T) || endsInArray(Types, T))) return true;
    if (Types.element(T)) return Offset < Begin + Size; // a wide access that runs over the end still starts here
    return Offset + reach() <= Begin + Size;
  }

  DIDerivedType *memberAt(DICompositeType *Record, uint64_t Offset) const {
    auto Members = dataMembers(Record);
    for (DIDerivedType *Member : Members)
      if (holds(Member, Offset, Member == Members.back())) return Member;
    return nullptr;
  }

  bool passesKnownRecord(DIType *T) const {
    T = Types.withoutArrays(T);
    if (is_contained(Query.Through, T)) return true;
    DICompositeType *Record = DebugTypes::asRecord(T);
    if (!Record) return false;
    return any_of(dataMembers(Record), [&](DIDerivedType *Member) { return passesKnownRecord(Member->getBaseType()); });
  }

  bool fitsAccess(DIDerivedType *Member, uint64_t Offset) const {
    if (Query.IsBlock || !Query.Accessed || !Query.Size) return false;
    DIType *Leaf = find(Member->getBaseType(), Offset - memberOffsetBytes(Member), "").Type;
    if (!Leaf || DebugTypes::asRecord(Leaf) || Types.sizeBytes(Leaf) != *Query.Size) return false;
    return Query.Accessed->isPointerTy() == DebugTypes::isPointer(Leaf) &&
           Query.Accessed->isFloatingPointTy() == DebugTypes::isFloat(Leaf);
  }

  // The only member that the access can mean; null if there are several.
  DIDerivedType *unionMember(DICompositeType *Union, uint64_t Offset) const {
    SmallVector<DIDerivedType *, 8> Holding, Passing, Fitting;
    for (DIDerivedType *Member : dataMembers(Union)) {
      if (!holds(Member, Offset, false)) continue;
      Holding.push_back(Member);
      if (passesKnownRecord(Member->getBaseType())) Passing.push_back(Member);
      if (fitsAccess(Member, Offset)) Fitting.push_back(Member);
    }
    if (Passing.size() == 1) return Passing.front();
    if (Fitting.size() == 1) return Fitting.front();
    return Holding.size() == 1 ? Holding.front() : nullptr;
  }

  const DebugTypes &Types;
  FieldQuery Query;
};

} // namespace

Field findField(const DebugTypes &Types, DIType *Outer, FieldQuery Query) {
  return PathFinder(Types, Query).find(Outer, Query.Offset, "");
}

DICompositeType *findRecordAt(const DebugTypes &Types, DIType *Outer, uint64_t Offset, const StructType *S) {
  DIType *T = Types.strip(Outer);
  if (DIType *Element = Types.element(T)) {
    uint64_t Size = Types.sizeBytes(Element);
    return Size ? findRecordAt(Types, Element, Offset % Size, S) : nullptr;
  }
  DICompositeType *Record = DebugTypes::asRecord(T);
  if (!Record) return nullptr;
  if (Offset == 0 && Types.matches(S, Record)) return Record;
  for (DIDerivedType *Member : dataMembers(Record)) {
    if (Member->isBitField()) continue;
    uint64_t Begin = memberOffsetBytes(Member), Size = Types.sizeBytes(Member->getBaseType());
    if (Offset < Begin || (Offset >= Begin + Size && !Types.element(Member->getBaseType()))) continue;
    if (DICompositeType *Found = findRecordAt(Types, Member->getBaseType(), Offset - Begin, S)) return Found;
  }
  return nullptr;
}

} // namespace dprof
