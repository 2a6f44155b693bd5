// Stage: collectors. The program as a collector's child: with the library preloaded, under the recorder where there is
// to be a trace too.
#pragma once

#include <string>
#include <vector>

#include "../../recorder/launch.h"
#include "options.h"

namespace dprof {

// To be called before the program is started: signals are forwarded to it, processes that it leaves behind become this
// process's children, and many files may be open.
void prepare_to_start();

// The entries for the program's environment: `variable` tells the library where its session is.
std::vector<EnvironmentEntry> preloading(const std::string &preload, const char *variable, const std::string &session);

// `variable`, `session`: as for `preloading`.
Launch start_program(const RunOptions &run, const char *variable, const std::string &session);

// To be called after the start: this process gets priority from here on, and closes the files that it inherited for the
// program. 0, or the exit status, after a complaint.
int follow_start(const Launch &started, const RunOptions &run, const std::vector<int> &files_of_program);

// Says why the library never answered; returns the exit status.
int complain_of_no_library(const RunOptions &run);
int complain_of_file(const std::string &path, int error, const char *hint);
int complain_of_session(int error);

// The exit status that shells make of a wait status.
int exit_status_of(int status);

} // namespace dprof
