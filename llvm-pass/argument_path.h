// Stage: plugin. "0", "0->object_size", "1->prot.slab->name": an argument, or a field that it leads to -> where the
// field lies, as the debug information says.
#ifndef DPROF_PASS_ARGUMENT_PATH_H
#define DPROF_PASS_ARGUMENT_PATH_H

#include "debug_types.h"
#include <optional>
#include <string>
#include <vector>

namespace dprof {

constexpr int MostArguments = 255;

struct ArgumentPath {
  int Argument = -1;                            // -1: nothing says it
  std::vector<std::vector<std::string>> Fields; // one list for each "->": "prot.slab" is two names
  unsigned Line = 0;                            // of the description

  bool isGiven() const { return Argument >= 0; }
  bool isField() const { return !Fields.empty(); }
  static std::optional<ArgumentPath> parse(llvm::StringRef Text);
};

// How to come to a field: a pointer is at each offset but the last.
struct FieldRead {
  llvm::SmallVector<uint64_t, 2> Offsets;
  unsigned Bytes = 0; // of the field; 0: an array, whose address it is
  llvm::DIType *Type = nullptr;
};

// The use of the field at the end of a path.
enum class FieldKind { Number, Pointer, Text };

// From the struct to which the argument points. None where the module does not know the fields of a struct on the way;
// `Error` where it does know them, and the path can not be read.
std::optional<FieldRead> findFieldRead(const ArgumentPath &Path, FieldKind Kind, llvm::DIType *Pointee,
                                       const DebugTypes &Types, std::string &Error);

} // namespace dprof

#endif
