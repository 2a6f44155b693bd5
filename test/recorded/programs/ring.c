// Reads its own source by io_uring: through liburing, or with RAW by system calls alone. Exits with 0 if it got it.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef RAW
#include <linux/io_uring.h>
int main(void) {
  struct io_uring_params parameters;
  memset(&parameters, 0, sizeof parameters);
  int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  if (ring < 0) return 77; // not on this machine
  long done = syscall(SYS_io_uring_enter, ring, 0, 0, 0, NULL, 0);
  return done == 0 ? 0 : 1;
}
#else
#include <liburing.h>
int main(void) {
  struct io_uring ring;
  struct io_uring_cqe *seen;
  static char buffer[64];
  if (io_uring_queue_init(4, &ring, 0) < 0) return 77; // not on this machine
  int file = open(__FILE__, O_RDONLY);
  io_uring_prep_read(io_uring_get_sqe(&ring), file, buffer, sizeof buffer, 0);
  if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &seen) != 0) return 1;
  int bytes = seen->res;
  io_uring_cqe_seen(&ring, seen);
  io_uring_queue_exit(&ring);
  return bytes == 64 && memcmp(buffer, "// Reads", 8) == 0 ? 0 : 2;
}
#endif
