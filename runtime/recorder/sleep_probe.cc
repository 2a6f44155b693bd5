// Stage: recorder. /proc/PID/task/TID/stat: "tid (name) S ...".
#include "sleep_probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace dprof {

bool is_asleep(pid_t process, pid_t thread) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
  int file =
      open(path, O_RDONLY | O_CLOEXEC); // anew each time: a descriptor for each thread might be more than there may be
  if (file < 0) return false;
  ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return false;
  text[n] = 0;
  const char *after_name = strrchr(text, ')'); // a name may have them too; numbers have none
  return after_name && after_name[1] == ' ' && after_name[2] == 'S';
}

} // namespace dprof
