// Stage: recorder. fork and exec, with a pipe that reports a failure in between.
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

namespace dprof {
namespace {

struct Report {
  int kept_randomised;
  int error;
};

bool switch_randomisation_off() {
  int current = personality(0xffffffff);
  if (current == -1 || personality((unsigned long)current | ADDR_NO_RANDOMIZE) == -1) return false;
  return (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
}

// DPROF_FILES: how many files might be open before Node raised that for itself (src/cli/inherited-files.ts).
void restore_file_limit() {
  const char *given = getenv("DPROF_FILES");
  rlimit files;
  rlim_t most = given ? strtoull(given, nullptr, 10) : 0;
  if (most > 0 && getrlimit(RLIMIT_NOFILE, &files) == 0 && most < files.rlim_cur) {
    files.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  unsetenv("DPROF_FILES");
}

// DPROF_PRELOAD: what the program preloads, and the recorder does not: such a library may have files open, or replace
// what the recorder calls.
void restore_preload() {
  if (const char *given = getenv("DPROF_PRELOAD")) setenv("LD_PRELOAD", given, 1);
  unsetenv("DPROF_PRELOAD");
}

[[noreturn]] void become(char **command, const std::vector<EnvironmentEntry> &added, bool randomised,
                         bool output_is_taken, int pipe_end) {
  Report report = {!randomised && !switch_randomisation_off(), 0};
  if (output_is_taken) dup2(STDERR_FILENO, STDOUT_FILENO);
  for (const EnvironmentEntry &entry : added) setenv(entry.name.c_str(), entry.value.c_str(), 1);
  unsetenv("DPROF_OUT");
  restore_file_limit();
  restore_preload();
  for (int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD, SIGXFSZ, SIGPIPE}) signal(number, SIG_DFL);
  if (write(pipe_end, &report, sizeof report) < 0) _exit(127);
  execvp(command[0], command);
  report.error = errno;
  if (write(pipe_end, &report, sizeof report) < 0) _exit(127);
  _exit(127);
}

} // namespace

std::vector<int> inherited_files() {
  std::vector<int> found;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return found;
  while (const dirent *entry = readdir(folder)) {
    int file = atoi(entry->d_name);
    if (file > STDERR_FILENO && file != dirfd(folder)) found.push_back(file);
  }
  closedir(folder);
  return found;
}

Launch launch(char **command, const std::vector<EnvironmentEntry> &added, bool randomised, bool output_is_taken) {
  Launch result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.error = errno;
    return result;
  }
  result.pid = fork();
  if (result.pid == 0) become(command, added, randomised, output_is_taken, ends[1]);
  if (result.pid < 0) result.error = errno;
  close(ends[1]);
  Report report = {};
  while (true) {
    ssize_t n = read(ends[0], &report, sizeof report);
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof report) break;
    result.kept_randomised = report.kept_randomised;
    if (report.error) result.error = report.error;
  }
  close(ends[0]);
  return result;
}

} // namespace dprof
