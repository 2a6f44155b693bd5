// Stage: taker, sampler. The takers' command lines: the options that both have, and a table of each one's own. The C
// library's getopt_long reads them; `dprof history` and `dprof sample` have checked the values.
#pragma once

#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

namespace dprof {

struct RunOptions {
  std::string output, preload;
  std::string trace, recorder; // empty: no trace is written
  bool randomised = false;
  char **command = nullptr;
};

struct Option {
  const char *name;
  unsigned values; // that follow it
  std::function<void(char **values)> take;
};

Option flag(const char *name, bool *to);
Option text(const char *name, std::string *to);
Option number(const char *name, uint64_t *to);
Option number(const char *name, uint32_t *to);

// False: it has complained, with `usage`. `needs_program`: asked behind the last option.
bool parse_options(
    int count, char **arguments, const char *usage, const std::vector<Option> &own, RunOptions *run,
    const std::function<bool()> &needs_program = [] { return true; });

} // namespace dprof
