// debugger N PROGRAM ARGUMENTS: runs it under ptrace with N of its debug registers set, as a debugger with hardware watchpoints does. Linked statically,
// so that nothing is preloaded into it; ends as the program does.
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static long set(pid_t program, int number, unsigned long value) { return ptrace(PTRACE_POKEUSER, program, offsetof(struct user, u_debugreg) + (size_t)number * sizeof(long), value); }

int main(int count, char **arguments) {
  if (count < 3) return 125;
  const int registers = atoi(arguments[1]);
  const pid_t program = fork();
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execv(arguments[2], arguments + 2);
    _exit(126);
  }
  int status;
  waitpid(program, &status, 0); // behind the exec, before its first instruction
  unsigned long enabled = 0;
  for (int i = 0; i < registers; i++) {
    if (set(program, i, 8 * (unsigned long)(i + 1)) != 0) return 125; // addresses that nobody uses
    enabled |= 1ul << 2 * i | 1ul << (16 + 4 * i); // a store of one byte
  }
  if (set(program, 7, enabled) != 0) return 125;
  for (int signal = 0;;) {
    ptrace(PTRACE_CONT, program, 0, signal);
    if (waitpid(program, &status, 0) < 0) return 125;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    signal = WSTOPSIG(status);
  }
}
