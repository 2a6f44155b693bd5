// Stage: recorder, and the collector of histories. Starts the program: address randomisation off, the session in its
// environment.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dprof {

struct Launch {
  pid_t pid = -1;
  int error = 0;                // errno of the exec, or of the fork
  bool kept_randomised = false; // the kernel refused to switch randomisation off
};

// The open files that this process inherited, except standard input, output and error. To be called before it opens
// any.
std::vector<int> inherited_files();

struct EnvironmentEntry {
  std::string name, value;
};

// `output_is_taken`: the trace goes to standard output, so the program's output goes to standard error.
Launch launch(char **command, const std::vector<EnvironmentEntry> &added, bool randomised, bool output_is_taken);

} // namespace dprof
