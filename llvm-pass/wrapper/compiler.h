// Stage: compiler wrapper. The clang to run, and the plugin that was built for its LLVM.
#ifndef DPROF_WRAPPER_COMPILER_H
#define DPROF_WRAPPER_COMPILER_H

#include <string>
#include <string_view>
#include <vector>

namespace dprof {

struct Compiler {
  std::vector<std::string> words; // "ccache clang-22" are two
  std::string plugin;             // empty: none is built for its version
  int version = 0;                // 0: nobody knows
};

/// `name`: what the wrapper was called: dprof-c++ and dprof-fc stand for clang++ and flang. `asked`: the value of
/// DPROF_CLANG, empty if there is none; then it is the clang of the version that DPROF_LLVM or CC names, or the newest
/// that has a plugin in `build`.
Compiler findCompiler(std::string_view name, const std::string &asked, const std::string &build);
/// "16, 19": versions that have one.
std::string pluginVersions(const std::string &build);

} // namespace dprof

#endif
