// Stage: plugin. (type, byte offset, size) -> the path of the field that lies there.
#ifndef DPROF_PASS_FIELD_PATH_H
#define DPROF_PASS_FIELD_PATH_H

#include "debug_types.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace dprof {

struct FieldQuery {
  uint64_t Offset = 0;
  std::optional<uint64_t> Size;   // none: not known when compiling
  bool IsBlock = false;           // copies and fills name what they cover; a scalar access names the innermost field
  std::optional<uint64_t> Bit;    // first bit that the access uses, for bit-fields that share storage
  llvm::Type *Accessed = nullptr; // of a scalar access: tells union members apart
  llvm::ArrayRef<llvm::DICompositeType *> Through; // inner records that the access path is known to pass: they too
};

struct Field {
  std::string Path;
  llvm::DIType *Type = nullptr; // of the field, stripped; an array's element where the path ends in []
};

Field findField(const DebugTypes &Types, llvm::DIType *Outer, FieldQuery Query);

// Whether `Outer` has a record that is `S` at `Offset`, itself or nested.
llvm::DICompositeType *findRecordAt(const DebugTypes &Types, llvm::DIType *Outer, uint64_t Offset,
                                    const llvm::StructType *S);

// Non-static data members and base classes with a size, in declaration order.
llvm::SmallVector<llvm::DIDerivedType *, 8> dataMembers(const llvm::DICompositeType *Record);
uint64_t memberOffsetBytes(const llvm::DIDerivedType *Member);
// Whether the record ends in an array that may go on behind its declared size.
bool endsInArray(const DebugTypes &Types, llvm::DIType *Record);

} // namespace dprof

#endif
