// Stage: compiler wrapper. --libc=musl: the musl that was built with dprof-cc, once, and what a command needs of it.
#ifndef DPROF_WRAPPER_MUSL_H
#define DPROF_WRAPPER_MUSL_H

#include "command.h"
#include "compiler.h"

#include <string>
#include <vector>

namespace dprof {

/// Why a command cannot be carried out with --libc=musl, and what to do; empty: it can.
std::string reasonAgainstMusl(std::string_view name, const Command &command);

/// The folder with its include and lib; it is built if there is none for this compiler and plugin. What is built is
/// kept in `$DPROF_MUSL`, or `dprof/musl` of the user's caches. Empty: that failed, and was said.
std::string findMusl(const Compiler &compiler, const std::string &build);

struct MuslArguments {
  std::vector<std::string> before, behind; // of the command's own
};
MuslArguments compileWithMusl(const std::string &musl);
MuslArguments linkWithMusl(const Command &command, const std::string &musl, const std::string &build);

} // namespace dprof

#endif
