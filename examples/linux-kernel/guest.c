// The only program of the guest, its /init: `udp N` sends N datagrams to a server in another process and back, over the
// loopback interface, and switches the machine off. `panic N` ends after them, which a kernel can not survive. `web N
// B` asks a web server N times, with B requests waiting at a time: see web.c. `server N` and `client N` are in two
// kernels: see pair.c.
#include "guest.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT = 7, BYTES = 64 };

/** Each write is a line of the kernel's log. (dprintf would seek, which /dev/kmsg refuses.) */
static int kernel_log;

static void say(const char *what, const char *why) {
  char line[128];
  const int bytes = snprintf(line, sizeof line, "guest: %s%s\n", what, why);
  if (write(kernel_log, line, (size_t)bytes) != bytes) _exit(3);
}

void stop(const char *failed) {
  if (failed) say(failed, strerror(errno));
  reboot(RB_POWER_OFF);
}

void mark(const char *name) {
  static int marks;
  if (!marks) marks = open("/dev/dprof", O_WRONLY);
  if (write(marks, name, strlen(name)) < 0) stop("/dev/dprof: ");
}

static const struct sockaddr_in SERVER = {.sin_family = AF_INET, .sin_port = PORT << 8, .sin_addr = {0x0100007f}};

static int datagram_socket(void) {
  const int made = socket(AF_INET, SOCK_DGRAM, 0);
  if (made < 0) stop("socket: ");
  return made;
}

static void echo(int server, long count) {
  char text[BYTES];
  while (count-- > 0) {
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    const ssize_t bytes = recvfrom(server, text, sizeof text, 0, (struct sockaddr *)&from, &size);
    if (bytes < 0 || sendto(server, text, (size_t)bytes, 0, (struct sockaddr *)&from, size) != bytes) stop("echo: ");
  }
}

static long round_trips(long count) {
  const int client = datagram_socket();
  if (connect(client, (const struct sockaddr *)&SERVER, sizeof SERVER)) stop("connect: ");
  long same = 0;
  for (long i = 0; i < count; i++) {
    char sent[BYTES] = {0}, back[BYTES] = {1};
    snprintf(sent, sizeof sent, "datagram %ld", i);
    if (send(client, sent, sizeof sent, 0) != BYTES || recv(client, back, sizeof back, 0) != BYTES) stop("client: ");
    same += !memcmp(sent, back, sizeof sent);
  }
  return same;
}

static void set_up_loopback(void) {
  const int any = datagram_socket();
  struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  if (ioctl(any, SIOCSIFFLAGS, &loopback)) stop("lo: ");
  close(any);
}

static long udp(long count) {
  const int server = datagram_socket();
  if (bind(server, (const struct sockaddr *)&SERVER, sizeof SERVER)) stop("bind: ");
  const pid_t child = fork();
  if (child < 0) stop("fork: ");
  if (child == 0) {
    echo(server, count);
    _exit(0);
  }
  mark("begin");
  const long same = round_trips(count);
  mark("end");
  waitpid(child, NULL, 0);
  return same;
}

int main(int argc, char **argv) {
  kernel_log = open("/dev/kmsg", O_WRONLY);
  if (argc < 3) stop("wants a workload and a count: ");
  const long count = atol(argv[2]);
  const int is_web = argc > 3 && !strcmp(argv[1], "web");
  set_up_loopback();
  const int is_pair = !strcmp(argv[1], "server") || !strcmp(argv[1], "client");
  const long done = is_web ? web(count, atol(argv[3])) : is_pair ? pair(argv[1], count) : udp(count);
  char result[64];
  snprintf(result, sizeof result, "%ld of %ld %s", done, count,
           is_web ? "requests were answered" : "datagrams came back");
  say(result, "");
  if (strcmp(argv[1], "panic")) stop(NULL);
  return 1;
}
