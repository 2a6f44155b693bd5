// The time and the link of two kernels: calendar FOLDER COMMAND... runs `COMMAND... server` and `COMMAND... client`,
// which boot kernels with time-travel=ext:FOLDER/time and a network device whose socket is
// FOLDER/server.link or FOLDER/client.link. Only one kernel computes at a time, until it waits. A frame reaches the
// other at the moment at which it was sent. So nothing that a kernel does depends on the host's speed. The messages are
// those of include/uapi/linux/um_timetravel.h.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACK, START, REQUEST, WAIT, GET, UPDATE, RUN }; // GET_TOD, 8, is answered as GET
enum { FRAMES = 16, MOST_BYTES = 2048, PATIENCE_S = 60 };
static const uint64_t NEVER = INT64_MAX;

struct message {
  uint32_t operation, sequence;
  uint64_t time;
};

struct frame {
  size_t bytes;
  char data[MOST_BYTES];
};

static struct kernel {
  const char *name;
  pid_t process;
  int time, listening, link; // sockets; -1: none
  bool waits;
  uint32_t unanswered; // sequence number of START or WAIT: the answer is what lets the kernel go on
  uint64_t request;
  struct frame queue[FRAMES]; // frames for this kernel
  unsigned first, queued;
} kernels[2] = {{.name = "server", .time = -1, .link = -1}, {.name = "client", .time = -1, .link = -1}};

static uint64_t now;
static unsigned long turns, frames, dropped;

/** A kernel whose calendar is gone panics. One that computes for ever is ended. */
__attribute__((noreturn)) static void fail(const char *of, const char *what) {
  fprintf(stderr, "calendar: %s%s%s\n", of, *of ? ": " : "", what);
  for (int i = 0; i < 2; i++) {
    if (kernels[i].process <= 0) continue;
    kill(kernels[i].process, SIGTERM);
    waitpid(kernels[i].process, NULL, 0);
  }
  exit(1);
}

static int listening(const char *folder, const char *file, int kind) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int made = socket(AF_UNIX, kind | SOCK_CLOEXEC, 0);
  if (snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, file) >= (int)sizeof address.sun_path)
    fail(folder, "too long a name for a socket");
  unlink(address.sun_path);
  if (made < 0 || bind(made, (struct sockaddr *)&address, sizeof address) || listen(made, 2))
    fail(address.sun_path, strerror(errno));
  return made;
}

static void send_message(struct kernel *kernel, uint32_t operation, uint32_t sequence, uint64_t time) {
  const struct message message = {operation, sequence, time};
  if (send(kernel->time, &message, sizeof message, MSG_NOSIGNAL) != sizeof message) fail(kernel->name, strerror(errno));
}

/** Before they are connected: after that, an end is the end of the connection. */
static bool has_ended(void) {
  siginfo_t ended = {0};
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid;
}

static bool comes(int socket) {
  struct pollfd polled = {.fd = socket, .events = POLLIN};
  for (int i = 0; i < PATIENCE_S * 10; i++)
    if (poll(&polled, 1, 100) > 0)
      return true;
    else if (kernels[0].time < 0 && has_ended())
      return false;
  return false;
}

/** One message of a kernel. false: it ended. */
static bool serve(struct kernel *kernel) {
  struct message message;
  if (!comes(kernel->time)) fail(kernel->name, "no message for a minute");
  if (recv(kernel->time, &message, sizeof message, MSG_WAITALL) != sizeof message) {
    close(kernel->time);
    kernel->time = -1;
    return false;
  }
  switch (message.operation) {
    case ACK: return true;
    case REQUEST: kernel->request = message.time; break;
    case START:
    case WAIT:
      kernel->waits = true;
      kernel->unanswered = message.sequence;
      return true;
    default: break;
  }
  send_message(kernel, ACK, message.sequence, now);
  return true;
}

static void compute_until_it_waits(struct kernel *kernel) {
  turns++;
  while (serve(kernel))
    if (kernel->waits) return;
}

static void collect_frames(struct kernel *from, struct kernel *to) {
  for (int i = 0; i < 2; i++)
    if (kernels[i].link < 0) kernels[i].link = accept4(kernels[i].listening, NULL, NULL, SOCK_CLOEXEC);
  while (from->link >= 0) {
    struct frame *frame = &to->queue[(to->first + to->queued) % FRAMES], overflow;
    if (to->queued == FRAMES) frame = &overflow;
    const ssize_t bytes = recv(from->link, frame->data, MOST_BYTES, MSG_DONTWAIT);
    if (bytes <= 0) return;
    frame->bytes = (size_t)bytes;
    frames++;
    if (frame == &overflow || to->link < 0)
      dropped++;
    else
      to->queued++;
  }
}

/** The kernel waits for the answer to its WAIT, so the signal of the frame finds it at the same place in every run. */
static void deliver(struct kernel *kernel) {
  const struct frame *frame = &kernel->queue[kernel->first];
  if (send(kernel->link, frame->data, frame->bytes, MSG_NOSIGNAL) < 0) fail(kernel->name, strerror(errno));
  kernel->first = (kernel->first + 1) % FRAMES;
  kernel->queued--;
}

static struct kernel *next_kernel(void) {
  struct kernel *next = NULL;
  for (int i = 0; i < 2; i++) {
    struct kernel *kernel = &kernels[i];
    if (kernel->time < 0) continue;
    if (kernel->queued) return kernel;
    if (kernel->request < NEVER && (!next || kernel->request < next->request)) next = kernel;
  }
  return next;
}

static void take_turn(struct kernel *kernel) {
  const bool has_frame = kernel->queued;
  if (has_frame)
    deliver(kernel);
  else if (now < kernel->request)
    now = kernel->request;
  send_message(kernel, ACK, kernel->unanswered, now);
  while (has_frame && kernel->request > now)
    if (!serve(kernel)) return;
  kernel->waits = false;
  kernel->request = NEVER;
  send_message(kernel, RUN, (uint32_t)turns, now);
  compute_until_it_waits(kernel);
}

static void start(struct kernel *kernel, char **command, int words) {
  char *run[words + 2];
  memcpy(run, command, (size_t)words * sizeof *run);
  run[words] = (char *)kernel->name;
  run[words + 1] = NULL;
  kernel->request = NEVER;
  kernel->process = fork();
  if (kernel->process) return;
  execvp(run[0], run);
  _exit(127);
}

/** Starts a kernel, which waits where its simulated time begins. The second starts behind that, in every run. */
static void meet(int listener, struct kernel *kernel, char **command, int words) {
  struct message message;
  start(kernel, command, words);
  if (!comes(listener)) fail(kernel->name, "did not start: see its log");
  kernel->time = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (recv(kernel->time, &message, sizeof message, MSG_WAITALL) != sizeof message || message.operation != START)
    fail(kernel->name, "did not start: see its log");
  kernel->unanswered = message.sequence;
}

int main(int argc, char **argv) {
  if (argc < 3) fail("", "wants a folder and a command");
  const int listener = listening(argv[1], "time", SOCK_STREAM);
  kernels[0].listening = listening(argv[1], "server.link", SOCK_SEQPACKET | SOCK_NONBLOCK);
  kernels[1].listening = listening(argv[1], "client.link", SOCK_SEQPACKET | SOCK_NONBLOCK);
  for (int i = 0; i < 2; i++) meet(listener, &kernels[i], argv + 2, argc - 2);
  for (int i = 0; i < 2; i++) {
    send_message(&kernels[i], ACK, kernels[i].unanswered, now);
    compute_until_it_waits(&kernels[i]);
  }
  while (kernels[0].time >= 0 || kernels[1].time >= 0) {
    collect_frames(&kernels[0], &kernels[1]);
    collect_frames(&kernels[1], &kernels[0]);
    struct kernel *next = next_kernel();
    if (!next) fail("", "both kernels wait, and nothing will ever come");
    take_turn(next);
  }
  int worst = 0;
  for (int i = 0; i < 2; i++) {
    int status;
    waitpid(kernels[i].process, &status, 0);
    if (!worst) worst = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  printf("calendar: %lu frames, %lu dropped, %lu turns\n", frames, dropped, turns);
  return worst;
}
