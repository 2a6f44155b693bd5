// 5,000 stores, then the end that argument 1 names.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrumented.h"

static long trail[5000];

static void walk(int steps) {
  for (int i = 0; i < steps; i++) store_one(&trail[i], i);
}

static volatile int signals;
static void remember_signal(int number) { signals += number == SIGUSR1; }
static void ignore_signal(int number) { (void)number; }

static int child_that_shares(void *nothing) {
  (void)nothing;
  signal(SIGUSR1, ignore_signal); // its own: handlers are not shared
  struct sigaction installed;
  if (sigaction(SIGUSR1, 0, &installed) || installed.sa_handler != ignore_signal) _exit(3);
  _exit(5);
}

int main(int count, char **arguments) {
  const char *end = count > 1 ? arguments[1] : "return";
  walk(5000);
  if (!strcmp(end, "_exit")) _exit(3);
  if (!strcmp(end, "abort")) abort();
  if (!strcmp(end, "fault")) *(volatile int *)8 = 1;
  if (!strcmp(end, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(end, "exec")) execl(arguments[0], arguments[0], "return", (char *)0);
  if (!strcmp(end, "exec-other")) execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
  if (!strcmp(end, "fork")) {
    pid_t child = fork();
    walk(child ? 100 : 200);
    if (!child) _exit(4);
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  if (!strcmp(end, "fork-exec")) {
    pid_t child = fork();
    if (!child) execl(arguments[0], arguments[0], "_exit", (char *)0);
    int status;
    waitpid(child, &status, 0);
    walk(100);
    return WEXITSTATUS(status);
  }
  if (!strcmp(end, "vfork")) {
    pid_t child = vfork();
    if (!child) {
      execl("/nonexistent", "nonexistent", (char *)0);
      _exit(5);
    }
    int status;
    waitpid(child, &status, 0);
    walk(100);
    return WEXITSTATUS(status);
  }
  if (!strcmp(end, "clone")) { // as fork, but nobody is told
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!child) {
      for (int i = 0; i < 20000; i++) { // more than the log's buffers hold
        char *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED || munmap(at, 4096)) _exit(1);
      }
      if (signal(SIGUSR1, remember_signal) != SIG_DFL) _exit(2);
      struct sigaction installed;
      if (sigaction(SIGUSR1, 0, &installed) || installed.sa_handler != remember_signal) _exit(3);
      raise(SIGUSR1);
      _exit(signals == 1 ? 5 : 4);
    }
    int status;
    waitpid(child, &status, 0);
    walk(100);
    return WEXITSTATUS(status);
  }
  if (!strcmp(end, "clone-shared")) { // as vfork, but the parent's memory is not lent: it is in use
    static _Alignas(16) char stack[65536];
    signal(SIGUSR1, remember_signal);
    pid_t child = clone(child_that_shares, stack + sizeof stack, CLONE_VM | SIGCHLD, 0);
    int status;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 5) return 1;
    walk(100);
    raise(SIGUSR1);
    return signals == 1 ? 5 : 2;
  }
  if (!strcmp(end, "background")) {
    if (fork()) return 6;
    usleep(1400000);
    walk(300);
    return 0;
  }
  return 0;
}
