// Fills memory by io_uring: through liburing, or with RAW by system calls alone. Exits with 0 if it got what is there.
// Every way fills another member of `area`, whose size says how much.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Alignas(64) struct {
  _Alignas(64) char plain[48];
  _Alignas(64) char end[64]; // of which a short read fills 5
  _Alignas(64) char parts[2][16];
  _Alignas(64) char many[8][64];
  _Alignas(64) char other[24]; // filled for another thread
  _Alignas(64) char message[10];
  _Alignas(64) char group[4][32];
  _Alignas(64) char ring[2][32];
  _Alignas(64) char fixed[40];
  _Alignas(64) char same[2][12]; // by two requests of one name
} area;

static int fails(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}
#define REQUIRE(condition)                                                                                             \
  if (!(condition)) return fails(#condition)

#ifdef RAW
#include <linux/io_uring.h>

static struct {
  int file;
  unsigned *tail, *mask, *array;
  struct io_uring_sqe *requests;
  unsigned *head, *completed, *completed_mask;
  struct io_uring_cqe *completions;
} ring;

static int make(void) {
  struct io_uring_params made;
  memset(&made, 0, sizeof made);
  ring.file = (int)syscall(SYS_io_uring_setup, 8, &made);
  if (ring.file < 0) return 0;
  size_t bytes = made.sq_off.array + made.sq_entries * sizeof(unsigned);
  size_t completion_bytes = made.cq_off.cqes + made.cq_entries * sizeof(struct io_uring_cqe);
  char *in = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.file, IORING_OFF_SQ_RING);
  char *out = mmap(NULL, completion_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.file, IORING_OFF_CQ_RING);
  ring.requests = mmap(NULL, made.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED,
                       ring.file, IORING_OFF_SQES);
  ring.tail = (unsigned *)(in + made.sq_off.tail);
  ring.mask = (unsigned *)(in + made.sq_off.ring_mask);
  ring.array = (unsigned *)(in + made.sq_off.array);
  ring.head = (unsigned *)(out + made.cq_off.head);
  ring.completed = (unsigned *)(out + made.cq_off.tail);
  ring.completed_mask = (unsigned *)(out + made.cq_off.ring_mask);
  ring.completions = (struct io_uring_cqe *)(out + made.cq_off.cqes);
  return 1;
}

static void submit(int file, char *to, unsigned bytes, unsigned long name) {
  unsigned tail = *ring.tail, at = tail & *ring.mask;
  memset(&ring.requests[at], 0, sizeof ring.requests[at]);
  ring.requests[at].opcode = IORING_OP_READ;
  ring.requests[at].fd = file;
  ring.requests[at].addr = (unsigned long)to;
  ring.requests[at].len = bytes;
  ring.requests[at].user_data = name;
  ring.array[at] = at;
  __atomic_store_n(ring.tail, tail + 1, __ATOMIC_RELEASE);
  syscall(SYS_io_uring_enter, ring.file, 1, 0, 0, NULL, 0);
}

// Its name; -1: it failed.
static long reap(void) {
  unsigned head = *ring.head;
  while (__atomic_load_n(ring.completed, __ATOMIC_ACQUIRE) == head)
    syscall(SYS_io_uring_enter, ring.file, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
  struct io_uring_cqe *done = &ring.completions[head & *ring.completed_mask];
  long name = done->res <= 0 ? -1 : (long)done->user_data;
  __atomic_store_n(ring.head, head + 1, __ATOMIC_RELEASE);
  return name;
}

int main(void) {
  if (!make()) return 77; // not on this machine
  int file = open(__FILE__, O_RDONLY);
  submit(file, area.plain, sizeof area.plain, 1);
  REQUIRE(reap() == 1 && memcmp(area.plain, "// Fills", 8) == 0);
  int pipes[2][2];
  REQUIRE(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
  submit(pipes[0][0], area.many[0], 64, 2);
  submit(pipes[1][0], area.many[1], 64, 3);
  REQUIRE(write(pipes[1][1], "second", 6) == 6 && reap() == 3);
  REQUIRE(write(pipes[0][1], "one", 3) == 3 && reap() == 2);
  return area.many[0][0] == 'o' && area.many[1][0] == 's' ? 0 : 2;
}
#else
#include <liburing.h>

static struct io_uring ring;
static int file;

// Bytes of the next completion, which must be of the request `name`.
static int reap(unsigned long name) {
  struct io_uring_cqe *seen;
  if (io_uring_wait_cqe(&ring, &seen) != 0 || seen->user_data != name) return -1000;
  int bytes = seen->res;
  io_uring_cqe_seen(&ring, seen);
  return bytes;
}

// `prep` sets the name to 0.
#define SUBMIT(name, prep, ...)                                                                                        \
  do {                                                                                                                 \
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);                                                              \
    prep(entry, __VA_ARGS__);                                                                                          \
    entry->user_data = (name);                                                                                         \
    REQUIRE(io_uring_submit(&ring) == 1);                                                                              \
  } while (0)

static void *reap_other(void *result) {
  *(int *)result = reap(20);
  if (area.other[0] != '/') *(int *)result = 0;
  return NULL;
}

static int out_of_order(void) {
  int pipes[8][2];
  for (int i = 0; i < 8; i++) {
    REQUIRE(pipe(pipes[i]) == 0);
    SUBMIT((unsigned long)i, io_uring_prep_read, pipes[i][0], area.many[i], 64, 0);
  }
  for (int i = 7; i >= 0; i--) {
    REQUIRE(write(pipes[i][1], "message!", (size_t)i + 1) == i + 1);
    REQUIRE(reap((unsigned long)i) == i + 1 && area.many[i][0] == 'm');
  }
  return 0;
}

static int by_group(void) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  SUBMIT(40, io_uring_prep_provide_buffers, area.group, 32, 4, 7, 10);
  REQUIRE(reap(40) >= 0);
  for (int i = 0; i < 2; i++) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    io_uring_prep_recv(entry, ends[0], NULL, 32, 0);
    io_uring_sqe_set_flags(entry, IOSQE_BUFFER_SELECT);
    entry->buf_group = 7;
    entry->user_data = 41;
    REQUIRE(io_uring_submit(&ring) == 1 && write(ends[1], "group", 5) == 5);
    REQUIRE(reap(41) == 5);
  }
  struct iovec part = {area.message, sizeof area.message};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  SUBMIT(42, io_uring_prep_recvmsg, ends[0], &message, 0);
  REQUIRE(write(ends[1], "message", 7) == 7 && reap(42) == 7);
  return 0;
}

static int by_buffer_ring(void) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  struct io_uring_buf_ring *buffers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  struct io_uring_buf_reg made = {.ring_addr = (unsigned long)buffers, .ring_entries = 4, .bgid = 8};
  REQUIRE(io_uring_register_buf_ring(&ring, &made, 0) == 0);
  io_uring_buf_ring_init(buffers);
  for (int i = 0; i < 2; i++)
    io_uring_buf_ring_add(buffers, area.ring[i], 32, (unsigned short)(5 + i), io_uring_buf_ring_mask(4), i);
  io_uring_buf_ring_advance(buffers, 2);
  struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
  io_uring_prep_recv_multishot(entry, ends[0], NULL, 0, 0); // completes as often as there is something
  io_uring_sqe_set_flags(entry, IOSQE_BUFFER_SELECT);
  entry->buf_group = 8;
  entry->user_data = 45;
  REQUIRE(io_uring_submit(&ring) == 1 && write(ends[1], "buffers!!", 9) == 9 && reap(45) == 9);
  REQUIRE(write(ends[1], "are here", 8) == 8 && reap(45) == 8);
  return 0;
}

// Both have one name: which of them completed first, nobody can say.
static int same_name(void) {
  for (int i = 0; i < 2; i++) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    io_uring_prep_read(entry, file, area.same[i], 12, 0);
    entry->user_data = 50;
  }
  REQUIRE(io_uring_submit_and_wait(&ring, 2) == 2 && reap(50) == 12 && reap(50) == 12);
  return 0;
}

int main(void) {
  if (io_uring_queue_init(16, &ring, 0) < 0) return 77; // not on this machine
  file = open(__FILE__, O_RDONLY);
  off_t end = lseek(file, 0, SEEK_END);
  SUBMIT(1, io_uring_prep_read, file, area.plain, sizeof area.plain, 0);
  REQUIRE(reap(1) == sizeof area.plain && memcmp(area.plain, "// Fills", 8) == 0);
  SUBMIT(2, io_uring_prep_read, file, area.end, sizeof area.end, (unsigned long)end - 5);
  REQUIRE(reap(2) == 5);
  struct iovec parts[2] = {{area.parts[1], 16}, {area.parts[0], 16}};
  SUBMIT(3, io_uring_prep_readv, file, parts, 2, (unsigned long)end - 20); // and of the second part 4
  memset(parts, 0, sizeof parts);                                          // the kernel has its copy
  REQUIRE(reap(3) == 20);
  struct iovec fixed = {&area, sizeof area};
  REQUIRE(io_uring_register_buffers(&ring, &fixed, 1) == 0);
  SUBMIT(4, io_uring_prep_read_fixed, file, area.fixed, sizeof area.fixed, 0, 0);
  REQUIRE(reap(4) == sizeof area.fixed);
  if (out_of_order() || by_group() || by_buffer_ring() || same_name()) return 1;
  pthread_t thread;
  int bytes;
  pthread_create(&thread, NULL, reap_other, &bytes);
  SUBMIT(20, io_uring_prep_read, file, area.other, sizeof area.other, 0);
  pthread_join(thread, NULL);
  REQUIRE(bytes == sizeof area.other);
  SUBMIT(60, io_uring_prep_write, 1, area.plain, 9, 0); // fills nothing
  REQUIRE(reap(60) == 9);
  io_uring_queue_exit(&ring);
  return 0;
}
#endif
