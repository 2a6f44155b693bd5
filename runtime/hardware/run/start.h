// Stage: collectors. The program as a collector's child: with the library preloaded, under the recorder where there is
// to be a trace too.
#pragma once

#include <string>
#include <vector>

#include "../../recorder/launch.h"
#include "options.h"

namespace dprof {

// Before the program is started: signals go on to it, what it starts and leaves behind is this process's, and files may
// be many.
void prepare_to_start();

// What the program's environment gets: `variable` tells the library where its session is.
std::vector<EnvironmentEntry> preloading(const std::string &preload, const char *variable, const std::string &session);

// `variable`, `session`: of `preloading`.
Launch start_program(const RunOptions &run, const char *variable, const std::string &session);

// Behind the start: this process is served first from here on, and what it inherited for the program is closed. 0, or
// the exit status: it has complained.
int follow_start(const Launch &started, const RunOptions &run, const std::vector<int> &files_of_program);

// Why nothing came of the library; the exit status.
int complain_of_no_library(const RunOptions &run);
int complain_of_file(const std::string &path, int error, const char *hint);
int complain_of_session(int error);

// Of a wait status, as shells have it.
int exit_status_of(int status);

} // namespace dprof
