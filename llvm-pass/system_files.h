// Stage: plugin. Which source files are the system's: headers of the C and C++ libraries, of the compiler, and of the
// folders that the build names as the system's (-isystem).
#ifndef DPROF_PASS_SYSTEM_FILES_H
#define DPROF_PASS_SYSTEM_FILES_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace dprof {

class SystemFiles {
public:
  explicit SystemFiles(const llvm::Module &M);
  // Early: notes in the module what the compiler's command says. A link does not know it any more.
  static void note(llvm::Module &M);
  bool has(const llvm::DIScope &Of) const;

private:
  std::vector<std::string> Folders;
};

} // namespace dprof

#endif
