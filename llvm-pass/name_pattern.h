// Stage: plugin. A glob that the user wrote, and the names that a function goes by.
#ifndef DPROF_PASS_NAME_PATTERN_H
#define DPROF_PASS_NAME_PATTERN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/GlobPattern.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dprof {

// `*`, `?`, `[a-z]`, `{one,other}`; without any of these, the very name.
class NamePattern {
public:
  static std::optional<NamePattern> parse(llvm::StringRef Text);
  bool matches(llvm::StringRef Name) const;
  bool matchesAny(llvm::ArrayRef<std::string> Names) const;

private:
  explicit NamePattern(std::shared_ptr<const std::vector<std::string>> Texts) : Texts(std::move(Texts)) {}
  std::shared_ptr<const std::vector<std::string>> Texts; // the globs point into them
  std::vector<llvm::GlobPattern> Globs;                  // one of them: LLVM 16 knows no braces
};

std::string withoutTemplateArguments(llvm::StringRef Name);

// The function's names: as the linker knows it; in C++ also qualified without parameters, with and without template
// arguments: "ns::Pool::take".
llvm::SmallVector<std::string, 3> namesOf(llvm::StringRef LinkageName);
inline llvm::SmallVector<std::string, 3> namesOf(const llvm::Function &F) { return namesOf(F.getName()); }

} // namespace dprof

#endif
