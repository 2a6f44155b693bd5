// Stage: plugin. Link-time optimisation: described when compiled, instrumented at the link under lld; nothing is
// instrumented twice.
#ifndef DPROF_PASS_LINK_TIME_H
#define DPROF_PASS_LINK_TIME_H

#include "llvm/IR/Module.h"

namespace dprof {

enum class When { Now, AtLink, NowBeforeLink };

// Is this process lld, which runs a link's own passes?
bool isLinker();

When whenToInstrument(const llvm::Module &M, bool IsUnoptimised);

// Leaves a symbol that nobody defines, and that the plugin removes at the link. So a link without the plugin, or with
// modules that are instrumented already, fails instead of losing accesses.
void leaveForLink(llvm::Module &M);
void takeBackFromLink(llvm::Module &M);

// For code that is optimised again after it was instrumented: a function that records has effects.
void forgetPurity(llvm::Module &M);

inline constexpr char InstrumentedEarly[] = "recorded, but as before link-time optimisation";
void noteEarlyInstrumentation(llvm::Module &M);
bool wasInstrumentedEarly(const llvm::Module &M);

} // namespace dprof

#endif
