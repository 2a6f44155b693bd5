// Stage: recorder, and the collectors of histories and samples. The program as their child: signals that go on to it,
// and why it could not be started.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launch.h"

namespace dprof {

// What a terminal sends to the whole group does not end this process, and what is sent to it alone goes on to the
// child, once there is one. `has_child`: false, nothing goes on.
void set_signals(bool has_child);
void set_child(pid_t child);

// Prints why; the exit status, as shells have it.
int complain_about_start(const char *name, int error);

// As many open files as this user may have; the program is to have what it would have had (launch).
void raise_file_limit();

// The program under `recorder`, which writes `trace`.
Launch launch_recorded(const std::string &recorder, const std::string &trace, char **command,
                       const std::vector<EnvironmentEntry> &added, bool randomised);

} // namespace dprof
