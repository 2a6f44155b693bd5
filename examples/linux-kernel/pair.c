// A part of the guest's only program: the server and the client of two kernels (pair.sh). Datagrams go over the link
// vec0. Beside each, the two meet in memory that both kernels have (/dev/mmapper): the server counts in the first line,
// the client in the second, and each reads the other's.
#include "guest.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 7, BYTES = 64, SERVERS_LINE = 0, CLIENTS_LINE = 64 };

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
  mark("serve");
  long met = 0;
  char text[BYTES];
  for (long i = 1; i <= count; i++) {
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    if (recvfrom(link, text, sizeof text, 0, (struct sockaddr *)&from, &size) != BYTES) stop("server: ");
    met += meet(shared, SERVERS_LINE, CLIENTS_LINE, i) == i;
    if (sendto(link, text, sizeof text, 0, (struct sockaddr *)&from, size) != BYTES) stop("echo: ");
  }
  mark("served");
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

long pair(const char *role, long count) {
  const int is_server = !strcmp(role, "server");
  const int shared = open("/dev/mmapper", O_RDWR);
  if (shared < 0) stop("/dev/mmapper: ");
  const int link = linked_socket(is_server ? "10.0.0.1" : "10.0.0.2");
  return is_server ? serve(link, shared, count) : ask(link, shared, count);
}
