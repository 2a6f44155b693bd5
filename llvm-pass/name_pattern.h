// Stage: plugin. A glob that the user wrote, and the names that a function goes by.
#ifndef DPROF_PASS_NAME_PATTERN_H
#define DPROF_PASS_NAME_PATTERN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/GlobPattern.h"
#include <memory>
#include <optional>
#include <string>

namespace dprof {

// `*`, `?`, `[a-z]`, `{one,other}`; without any of these, the very name.
class NamePattern {
public:
  static std::optional<NamePattern> parse(llvm::StringRef Text);
  bool matches(llvm::StringRef Name) const { return Glob.match(Name); }
  bool matchesAny(llvm::ArrayRef<std::string> Names) const;

private:
  NamePattern(std::shared_ptr<const std::string> Text, llvm::GlobPattern Glob)
      : Text(std::move(Text)), Glob(std::move(Glob)) {}
  std::shared_ptr<const std::string> Text; // the glob points into it
  llvm::GlobPattern Glob;
};

std::string withoutTemplateArguments(llvm::StringRef Name);

// The function's names: as the linker knows it; in C++ also qualified without parameters, with and without template
// arguments: "ns::Pool::take".
llvm::SmallVector<std::string, 3> namesOf(llvm::StringRef LinkageName);
inline llvm::SmallVector<std::string, 3> namesOf(const llvm::Function &F) { return namesOf(F.getName()); }

} // namespace dprof

#endif
