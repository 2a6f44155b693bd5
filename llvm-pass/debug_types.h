// Stage: plugin. Gives the describer its debug information: types without decoration, spelled as in the language. It
// also finds types by the names that LLVM's struct types and TBAA nodes carry.
#ifndef DPROF_PASS_DEBUG_TYPES_H
#define DPROF_PASS_DEBUG_TYPES_H

#include "template_names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include <string>

namespace dprof {

class DebugTypes {
public:
  explicit DebugTypes(const llvm::Module &M);

  // Without typedefs and qualifiers, but for the typedef of a scalar ("uint64_t"); a forward declaration becomes its
  // definition where this module has it. May be null.
  llvm::DIType *strip(llvm::DIType *T) const;
  // "struct T", "ns::Node", "uint64_t", "struct T *", "double[]", "std::vector<int>".
  std::string spell(llvm::DIType *T) const;
  // A C++ name of the debug information as people write it.
  std::string shorten(llvm::StringRef Name) const { return IsCPlusPlus ? Templates.shorten(Name) : Name.str(); }
  // 0: unknown or none.
  uint64_t sizeBytes(llvm::DIType *T) const;

  // The type to which a pointer or reference type points, stripped; null for any other type.
  llvm::DIType *pointee(llvm::DIType *T) const;
  // Element of an array with all dimensions folded, stripped; null for anything else.
  llvm::DIType *element(llvm::DIType *T) const;
  // `T`, or its innermost element type if it is an array.
  llvm::DIType *withoutArrays(llvm::DIType *T) const;

  // The one record type that clang gave this LLVM type for; null if none or several.
  llvm::DICompositeType *forStruct(const llvm::StructType *S) const;
  bool matches(const llvm::StructType *S, const llvm::DICompositeType *T) const;
  llvm::DICompositeType *forTbaa(llvm::StringRef Name) const;

  // The struct, union or class with that spelling, with or without its keyword. If the module has none, a type of that
  // name and unknown size.
  llvm::DIType *named(llvm::StringRef Name, llvm::LLVMContext &C) const;

  static llvm::DICompositeType *asRecord(llvm::DIType *T);
  static bool isUnion(const llvm::DIType *T) { return T && T->getTag() == llvm::dwarf::DW_TAG_union_type; }
  static bool isPointer(const llvm::DIType *T);
  static bool isFloat(const llvm::DIType *T);

private:
  void add(llvm::DIType *T);
  std::string qualifiedName(const llvm::DIType *T) const;
  llvm::StringRef tagOrTypedef(const llvm::DICompositeType *T) const;
  // The qualified name without template arguments: the part of it that remains in the name of an LLVM struct.
  std::string structKey(const llvm::DICompositeType *T) const;

  const llvm::DataLayout &Layout;
  bool IsCPlusPlus = false;
  TemplateNames Templates;
  llvm::DenseMap<const llvm::DICompositeType *, llvm::StringRef> TypedefOf;
  llvm::StringMap<llvm::SmallVector<llvm::DICompositeType *, 1>> ByStructKey;
  llvm::StringMap<llvm::DICompositeType *> ByTbaaName; // null: several
  llvm::StringMap<llvm::DICompositeType *> Definitions;
};

} // namespace dprof

#endif
