// The only program of each of two guests, its /init: `server N` echoes N datagrams that come over the link vec0,
// `client N` sends them and looks at what comes back. Beside each datagram the two meet in memory that both kernels
// have
// (/dev/mmapper): the server counts in the first line, the client in the second, and each reads the other's.
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
#include <unistd.h>

enum { PORT = 7, BYTES = 64, SERVERS_LINE = 0, CLIENTS_LINE = 64 };

/** Each write is a line of the kernel's log. (dprintf would seek, which /dev/kmsg refuses.) */
static int kernel_log;

static void say(const char *what, const char *why) {
  char line[128];
  const int bytes = snprintf(line, sizeof line, "guest: %s%s\n", what, why);
  if (write(kernel_log, line, (size_t)bytes) != bytes) _exit(3);
}

static void stop(const char *failed) {
  if (failed) say(failed, strerror(errno));
  reboot(RB_POWER_OFF);
}

static struct sockaddr_in address(const char *text) {
  struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  inet_pton(AF_INET, text, &made.sin_addr);
  return made;
}

/** A socket, and the link up with this address. */
static int linked_socket(const char *own) {
  const int made = socket(AF_INET, SOCK_DGRAM, 0);
  const struct sockaddr_in here = address(own);
  struct ifreq link = {.ifr_name = "vec0"};
  memcpy(&link.ifr_addr, &here, sizeof here);
  if (made < 0 || ioctl(made, SIOCSIFADDR, &link)) stop("address: ");
  link.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(made, SIOCSIFFLAGS, &link)) stop("vec0: ");
  return made;
}

/** A mark of the recording: see mark.c. */
static void mark(const char *name) {
  static int marks;
  if (!marks) marks = open("/dev/dprof", O_WRONLY);
  if (write(marks, name, strlen(name)) < 0) stop("/dev/dprof: ");
}

/** Reads the other's counter, and raises the own. */
static long meet(int shared, int own_line, int others_line, long own) {
  long other;
  if (pread(shared, &other, sizeof other, others_line) != sizeof other ||
      pwrite(shared, &own, sizeof own, own_line) != sizeof own)
    stop("shared memory: ");
  return other;
}

static long serve(int link, int shared, long count) {
  const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  if (bind(link, (const struct sockaddr *)&any, sizeof any)) stop("bind: ");
  long met = 0;
  char text[BYTES];
  for (long i = 1; i <= count; i++) {
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    if (recvfrom(link, text, sizeof text, 0, (struct sockaddr *)&from, &size) != BYTES) stop("server: ");
    met += meet(shared, SERVERS_LINE, CLIENTS_LINE, i) == i;
    if (sendto(link, text, sizeof text, 0, (struct sockaddr *)&from, size) != BYTES) stop("echo: ");
  }
  return met;
}

static long ask(int link, int shared, long count) {
  const struct sockaddr_in server = address("10.0.0.1");
  if (connect(link, (const struct sockaddr *)&server, sizeof server)) stop("connect: ");
  sleep(1); // of simulated time: the server is there then
  mark("begin");
  long same = 0, served = 0;
  for (long i = 1; i <= count; i++) {
    char sent[BYTES] = {0}, back[BYTES] = {1};
    snprintf(sent, sizeof sent, "datagram %ld", i);
    served += meet(shared, CLIENTS_LINE, SERVERS_LINE, i) == i - 1;
    if (send(link, sent, sizeof sent, 0) != BYTES || recv(link, back, sizeof back, 0) != BYTES) stop("client: ");
    same += !memcmp(sent, back, sizeof sent);
  }
  mark("end");
  return served < same ? served : same;
}

int main(int argc, char **argv) {
  kernel_log = open("/dev/kmsg", O_WRONLY);
  if (argc != 3) stop("wants server or client, and a count: ");
  const int shared = open("/dev/mmapper", O_RDWR);
  if (shared < 0) stop("/dev/mmapper: ");
  const long count = atol(argv[2]);
  const int is_server = !strcmp(argv[1], "server");
  const int link = linked_socket(is_server ? "10.0.0.1" : "10.0.0.2");
  const long good = is_server ? serve(link, shared, count) : ask(link, shared, count);
  char result[64];
  snprintf(result, sizeof result, "%ld of %ld datagrams came back", good, count);
  say(result, "");
  stop(NULL);
}
