// Stage: compiler wrapper. The processor that a command compiles for, and the runtime that was built for it.
#include "target.h"

#include <string_view>
#include <unistd.h>

namespace dprof {

namespace {

#if defined(__aarch64__)
constexpr Processor own = Processor::Aarch64;
#else
constexpr Processor own = Processor::X86;
#endif

} // namespace

Processor processorOf(const std::string &triple) {
  if (triple.empty()) return own;
  std::string_view name = std::string_view(triple).substr(0, triple.find('-'));
  if (name == "aarch64" || name == "arm64") return Processor::Aarch64;
  if (name == "x86_64" || name == "amd64") return Processor::X86;
  return Processor::Other;
}

std::string runtimeFolder(const std::string &build, Processor processor) {
  if (processor == own) return build;
  std::string folder = build + (processor == Processor::Aarch64 ? "/aarch64" : "/x86_64");
  return access((folder + "/lib/link/libdprof_runtime.so").c_str(), R_OK) == 0 ? folder : "";
}

} // namespace dprof
