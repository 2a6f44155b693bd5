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

// What this process was given beside standard input, output and error, if it has not opened anything yet.
std::vector<int> inherited_files();

struct EnvironmentEntry {
  std::string name, value;
};

// `output_is_taken`: standard output is the trace's; what the program writes there goes to standard error.
Launch launch(char **command, const std::vector<EnvironmentEntry> &added, bool randomised, bool output_is_taken);

} // namespace dprof
