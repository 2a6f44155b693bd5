#!/bin/sh
# Can a kernel that is a process run here? It traces the processes of its guest.
set -eu
check=$(mktemp)
trap 'rm -f "$check"' EXIT
clang-19 -x c - -o "$check" <<'C'
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(1);
    raise(SIGSTOP);
    _exit(0);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 1;
  if (ptrace(PTRACE_KILL, child, 0, 0)) return 1;
  waitpid(child, &status, 0);
  return 0;
}
C
"$check" && exit 0
echo 'run.sh: ptrace is refused here' >&2
echo 'hint: allow it: no seccomp filter against ptrace, and kernel.yama.ptrace_scope below 3' >&2
exit 1
