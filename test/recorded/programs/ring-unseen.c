// Makes an io_uring by a system call, in a file that does not know the types of io_uring: nothing can follow the ring.
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
  unsigned parameters[30] = {0};
  long ring = syscall(425, 4, parameters); // SYS_io_uring_setup
  return ring < 0 ? 77 : close((int)ring);
}
