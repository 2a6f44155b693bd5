// Stage: compiler wrapper. The processor that a command compiles for, and the runtime that was built for it.
#ifndef DPROF_WRAPPER_TARGET_H
#define DPROF_WRAPPER_TARGET_H

#include <string>

namespace dprof {

enum class Processor { X86, Aarch64, Other };

/// The processor of a triple as clang spells it (aarch64-linux-gnu); of an empty one, that of this program.
Processor processorOf(const std::string &triple);

/// The folder with lib/ of that processor: `build` itself for this program's, build/aarch64 and build/x86_64 for the
/// other one. Empty: no runtime is built there.
std::string runtimeFolder(const std::string &build, Processor processor);

} // namespace dprof

#endif
