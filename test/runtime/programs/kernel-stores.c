// What the kernel writes: one buffer that crosses lines, parts of a vector, random bytes, a message, the beginning of another. Prints where.
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "instrumented.h"

static _Alignas(64) char area[512];

int main(void) {
  int ends[2], pair[2];
  if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  char text[128];
  memset(text, 'x', sizeof text);
  step_empty();
  if (write(ends[1], text, 100) != 100 || read(ends[0], area + 60, 200) != 100) return 2;
  struct iovec parts[] = {{area + 256, 3}, {area + 320, 0}, {area + 384, 10}};
  if (write(ends[1], text, 8) != 8 || readv(ends[0], parts, 3) != 8) return 3;
  if (getrandom(area + 448, 16, 0) != 16) return 4;
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 1};
  if (send(pair[0], text, 2, 0) != 2 || recvmsg(pair[1], &message, 0) != 2) return 5;
  int datagrams[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams)) return 6;
  if (send(datagrams[0], text, 50, 0) != 50 || recv(datagrams[1], area, 4, MSG_TRUNC) != 50) return 7; // 4 bytes came, not 50
  printf("%lx\n", (unsigned long)area);
  return 0;
}
