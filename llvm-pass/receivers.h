// Stage: plugin, "describe". The variable or field that receives the result of a call: found while the source's
// structure is still there, and kept by the place of the call in the source, as calls are inlined.
#ifndef DPROF_PASS_RECEIVERS_H
#define DPROF_PASS_RECEIVERS_H

#include "place.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <map>

namespace dprof {

// Whether this address, or what is in this variable, or an address computed from it, is what the function returns.
bool isHandedOn(llvm::Value &Memory);

class Receivers {
public:
  explicit Receivers(const llvm::Module &M);
  // Early: notes in the module who receives the call's result, if somebody with a name does.
  static void note(llvm::CallBase &Call, PlaceFinder &Places, const DebugTypes &Types);
  // Late: what was noted of the call there; empty if nothing was.
  llvm::StringRef of(const llvm::DILocation &Where) const;

private:
  using Key = std::tuple<const llvm::DISubprogram *, unsigned, unsigned>;
  std::map<Key, llvm::StringRef> Known;
};

} // namespace dprof

#endif
