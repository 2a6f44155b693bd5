// Stage: runtime. The process's environment, and how the process ends.
#pragma once

namespace dprof {

const char *find_environment(const char *name);
// `entry_text` ("NAME=value", kept alive by the caller) in the place of `name`, without allocating.
void replace_environment(const char *name, char *entry_text);
// The status that the program passed to exit.
void note_exit(int status);
// A program that records itself waits here until its trace is whole.
void close_session();

} // namespace dprof
