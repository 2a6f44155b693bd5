// Stage: runtime. DPROF_OUT=FILE -> starts `dprof-record --attach`, which is nobody's child; its session directory
// comes back through a pipe.
#include "self_record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "memory.h"
#include "process.h"
#include "session.h"
#include "system.h"

extern "C" char **environ;

namespace dprof {
namespace {

char session_entry[DPROF_SESSION_PATH_BYTES] = "DPROF_SESSION=";
constexpr size_t entry_prefix = sizeof "DPROF_SESSION=" - 1;
bool own_recorder = false;

// A child without an exit signal: the program's handlers and waits never hear of it.
long fork_silently() {
  long child = system_call(SYS_clone, 0, 0, 0, 0, 0);
  return child == -EINVAL ? system_call(SYS_clone, SIGCHLD, 0, 0, 0, 0) : child; // qemu's user mode knows no other
}

bool find_recorder(char *path, size_t capacity) {
  Dl_info info;
  if (!dladdr((void *)&start_own_recorder, &info) || !info.dli_fname) return false;
  size_t n = append_text(path, capacity, 0, info.dli_fname);
  while (n > 0 && path[n - 1] != '/') n--;
  append_text(path, capacity, n, "../bin/dprof-record");
  return true;
}

} // namespace

bool records_itself() { return own_recorder; }

const char *start_own_recorder(const char *out) {
  char recorder[DPROF_SESSION_PATH_BYTES];
  if (!out || !*out || !find_recorder(recorder, sizeof recorder)) return nullptr;
  int ends[2];
  if (system_call(SYS_pipe2, (long)ends, O_CLOEXEC) < 0) return nullptr;
  char pid_text[24], descriptor_text[24];
  append_number(pid_text, sizeof pid_text, 0, (uint64_t)system_call(SYS_getpid));
  append_number(descriptor_text, sizeof descriptor_text, 0, (uint64_t)ends[1]);
  const char *arguments[] = {recorder, "--attach", pid_text, "--announce", descriptor_text, "-o", out, nullptr};

  long first = fork_silently();
  if (first == 0) {
    if (fork_silently() == 0) {
      system_call(SYS_setsid);
      system_call(SYS_fcntl, ends[1], F_SETFD, 0);
      system_call(SYS_execve, (long)recorder, (long)arguments, (long)environ);
    }
    system_call(SYS_exit_group, 127);
  }
  system_call(SYS_close, ends[1]);
  size_t length = 0;
  if (first > 0) {
    while (system_call(SYS_wait4, first, 0, __WALL, 0) == -EINTR) continue;
    while (entry_prefix + length + 1 < sizeof session_entry) {
      long got = system_call(SYS_read, ends[0], (long)(session_entry + entry_prefix + length),
                             (long)(sizeof session_entry - 1 - entry_prefix - length));
      if (got == -EINTR) continue;
      if (got <= 0) break;
      length += (size_t)got;
    }
  }
  system_call(SYS_close, ends[0]);
  session_entry[entry_prefix + length] = 0;
  if (!length) return nullptr;
  own_recorder = true;
  replace_environment("DPROF_OUT", session_entry);
  return session_entry + entry_prefix;
}

} // namespace dprof
