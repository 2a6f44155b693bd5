// Stage: plugin. Names of C++ templates as people write them: without arguments that are the default, and by the
// standard library's short names. "std::vector<int, std::allocator<int> >" -> "std::vector<int>".
#ifndef DPROF_PASS_TEMPLATE_NAMES_H
#define DPROF_PASS_TEMPLATE_NAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfo.h"
#include <string>

namespace dprof {

class TemplateNames {
public:
  // Learns from the debug information how many of a template's arguments are its defaults.
  void learn(const llvm::DebugInfoFinder &Finder);
  // Every template in the text, nested ones too. Text that is no such name comes back as it is.
  std::string shorten(llvm::StringRef Text) const;

private:
  void learn(llvm::StringRef Name, llvm::DITemplateParameterArray Parameters);
  unsigned defaults(llvm::StringRef Qualified, llvm::StringRef Instance, llvm::ArrayRef<llvm::StringRef> Given) const;

  llvm::StringMap<unsigned> Defaults; // by the name with its arguments, without its scope
};

} // namespace dprof

#endif
