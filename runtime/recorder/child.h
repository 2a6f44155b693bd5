// Stage: recorder, and the collectors of histories and samples. The program as their child: signals that go on to it,
// and why it could not be started.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launch.h"

namespace dprof {

// A signal that a terminal sends to the whole group does not end this process. A signal sent to this process alone is
// forwarded to the child, once there is one. `has_child` false: nothing is forwarded.
void set_signals(bool has_child);
void set_child(pid_t child);

// Prints why the program could not be started; returns the exit status that shells use.
int complain_about_start(const char *name, int error);

// Allows as many open files as this user may have; `launch` restores the program's own limit.
void raise_file_limit();

// Starts the program under `recorder`, which writes `trace`.
Launch launch_recorded(const std::string &recorder, const std::string &trace, char **command,
                       const std::vector<EnvironmentEntry> &added, bool randomised);

} // namespace dprof
