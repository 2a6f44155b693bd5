// 5,000 stores, then the end that argument 1 names.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrumented.h"

static long trail[5000];

static void walk(int steps) {
  for (int i = 0; i < steps; i++) store_one(&trail[i], i);
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
  if (!strcmp(end, "background")) {
    if (fork()) return 6;
    usleep(1400000);
    walk(300);
    return 0;
  }
  return 0;
}
