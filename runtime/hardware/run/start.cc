// Stage: collectors.
#include "start.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../recorder/child.h"
#include "../../recorder/message.h"

namespace dprof {

void prepare_to_start() {
  set_signals(true);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  raise_file_limit();
}

std::vector<EnvironmentEntry> preloading(const std::string &preload, const char *variable, const std::string &session) {
  const char *preloaded = getenv("LD_PRELOAD");
  return {{variable, session}, {"LD_PRELOAD", preload + (preloaded && *preloaded ? std::string(":") + preloaded : "")}};
}

Launch start_program(const RunOptions &run, const char *variable, const std::string &session) {
  const std::vector<EnvironmentEntry> added = preloading(run.preload, variable, session);
  unsetenv("DPROF_SESSION");
  if (run.trace.empty()) return launch(run.command, added, run.randomised, false);
  return launch_recorded(run.recorder, run.trace, run.command, added, run.randomised);
}

int follow_start(const Launch &started, const RunOptions &run, const std::vector<int> &files_of_program) {
  set_child(started.pid);
  // The program waits for answers, and rings must not fill while this process waits for a processor. The priority is
  // raised after the start, because the program would inherit it. Only root may raise it.
  constexpr int first_served = -10;
  setpriority(PRIO_PROCESS, 0, first_served);
  for (int descriptor : files_of_program)
    close(descriptor); // the reader of a pipe waits for the last process that could write to it
  if (started.error) {
    if (started.pid > 0) waitpid(started.pid, nullptr, 0);
    return complain_about_start(run.command[0], started.error);
  }
  if (started.kept_randomised)
    say("address randomisation could not be switched off: two runs will differ in addresses");
  return 0;
}

int complain_of_no_library(const RunOptions &run) {
  complain(std::string(run.command[0]) +
               " is linked statically, or does not take preloaded libraries: its allocations can not be seen",
           "link it dynamically; set-user-ID programs must be run as their owner");
  return 1;
}

int complain_of_file(const std::string &path, int error, const char *hint) {
  complain("cannot write " + path + ": " + strerror(error), hint);
  return 1;
}

int complain_of_session(int error) {
  complain(std::string("no place for the session: ") + strerror(error), "make room in /dev/shm, or set TMPDIR");
  return 1;
}

int exit_status_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

} // namespace dprof
