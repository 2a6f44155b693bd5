// Stage: plugin. Functions that clang makes of OpenMP's regions and tasks -> the function of the source, and the line
// of the directive.
#ifndef DPROF_PASS_PARALLEL_REGIONS_H
#define DPROF_PASS_PARALLEL_REGIONS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace dprof {

struct ParallelRegion {
  const llvm::DISubprogram *Source = nullptr; // null: the program's own function
  unsigned Line = 0;
};

// Before any pass: later, the functions may be parts of one another. Kept in the module, up to a link.
void noteParallelRegions(llvm::Module &M);

class ParallelRegions {
public:
  explicit ParallelRegions(const llvm::Module &M);
  ParallelRegion of(const llvm::DISubprogram *Subprogram) const { return Noted.lookup(Subprogram); }

private:
  llvm::DenseMap<const llvm::DISubprogram *, ParallelRegion> Noted;
};

} // namespace dprof

#endif
