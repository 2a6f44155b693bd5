// held N PROGRAM ARGUMENTS: runs it with N debug registers taken, in it and in what it starts, as under a perf that records breakpoints.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 3) return 125;
  static volatile uint64_t nothing[4];
  for (int i = 0; i < atoi(arguments[1]); i++) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_BREAKPOINT;
    attributes.bp_type = HW_BREAKPOINT_W;
    attributes.bp_addr = (uintptr_t)&nothing[i];
    attributes.bp_len = 8;
    attributes.exclude_kernel = 1;
    attributes.inherit = 1;
    if (syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0) < 0) return 125; // stays open when the program is executed
  }
  execv(arguments[2], arguments + 2);
  return 126;
}
