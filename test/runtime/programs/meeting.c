// Bytes over a socket pair, both ways, and a count over an eventfd by the C library's own functions. A second pair is somewhere else.
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "instrumented.h"

int main(void) {
  int near[2], other[2];
  char bytes[8];
  eventfd_t count = 0;
  int events = eventfd(0, EFD_NONBLOCK);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, near) || socketpair(AF_UNIX, SOCK_DGRAM, 0, other)) return 1;
  step_empty();
  if (send(near[0], "012", 3, 0) != 3 || recv(near[1], bytes, 8, 0) != 3) return 2;
  if (write(near[1], "0", 1) != 1 || read(near[0], bytes, 8) != 1) return 3;
  if (write(other[1], "01", 2) != 2 || read(other[0], bytes, 8) != 2) return 4;
  if (eventfd_write(events, 5) || eventfd_read(events, &count) || count != 5) return 5;
  if (eventfd_read(events, &count) != -1) return 6;
  return 0;
}
