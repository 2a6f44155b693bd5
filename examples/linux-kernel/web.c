// A small web server and its clients, in two processes of the guest. The clients open `backlog` connections and send a
// request through each before the server gets to the first of them. A burst more comes before the mark `begin`. Each
// answer that has come is a mark `request`.
#include "guest.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT = 80, BODY_BYTES = 1024, MESSAGE_BYTES = 2048 };

static const char FILE_NAME[] = "/index.html", REQUEST[] = "GET /index.html HTTP/1.0\r\nHost: localhost\r\n\r\n";
static const char HEADER[] = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: %ld\r\n\r\n";
static const struct sockaddr_in SERVER = {.sin_family = AF_INET, .sin_port = PORT << 8, .sin_addr = {0x0100007f}};

static int stream_socket(void) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (made < 0) stop("socket: ");
  return made;
}

static void write_all(int file, const char *text, size_t bytes) {
  if (write(file, text, bytes) != (ssize_t)bytes) stop("write: ");
}

/** Whose turn it is: the one who waits has a byte to read. With connections that are served one by one nobody waits. */
struct turns {
  int server[2], clients[2];
};

static void pass_turn(const int to[2]) { write_all(to[1], "", 1); }

static void await_turn(const int from[2]) {
  char byte;
  if (read(from[0], &byte, 1) != 1) stop("turn: ");
}

// -- the server

static void read_request(int client, char path[MESSAGE_BYTES]) {
  char text[MESSAGE_BYTES] = "";
  for (size_t bytes = 0; !strstr(text, "\r\n\r\n");) {
    const ssize_t more = read(client, text + bytes, sizeof text - 1 - bytes);
    if (more <= 0) stop("request: ");
    bytes += (size_t)more;
    text[bytes] = 0;
  }
  if (sscanf(text, "GET %s", path) != 1) stop("not a GET: ");
}

static void answer(int client) {
  char path[MESSAGE_BYTES], header[128];
  read_request(client, path);
  const int file = open(path, O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status)) stop("file: ");
  const int bytes = snprintf(header, sizeof header, HEADER, (long)status.st_size);
  if (send(client, header, (size_t)bytes, MSG_MORE) != bytes) stop("header: ");
  if (sendfile(client, file, NULL, (size_t)status.st_size) != status.st_size) stop("sendfile: ");
  close(file);
  close(client);
}

static void serve(int server, long count, long backlog, const struct turns *turns) {
  for (long left = count; left > 0; left -= backlog) {
    if (backlog > 1) await_turn(turns->server), mark("serve");
    for (long i = 0; i < backlog && i < left; i++) {
      const int client = accept(server, NULL, NULL);
      if (client < 0) stop("accept: ");
      answer(client);
    }
    if (backlog > 1) pass_turn(turns->clients);
  }
}

// -- the clients

static int send_request(void) {
  const int server = stream_socket();
  if (connect(server, (const struct sockaddr *)&SERVER, sizeof SERVER)) stop("connect: ");
  write_all(server, REQUEST, sizeof REQUEST - 1);
  return server;
}

/** Whether the answer is the whole file. */
static int read_answer(int server) {
  char text[MESSAGE_BYTES];
  size_t bytes = 0;
  for (ssize_t more; (more = read(server, text + bytes, sizeof text - 1 - bytes)) > 0;) bytes += (size_t)more;
  text[bytes] = 0;
  close(server);
  mark("request");
  const char *body = strstr(text, "\r\n\r\n");
  return !strncmp(text, "HTTP/1.0 200 ", 13) && body && strspn(body + 4, "x") == BODY_BYTES;
}

static long ask(long count, long backlog, const struct turns *turns, int *connections) {
  long answered = 0;
  for (long left = count; left > 0; left -= backlog) {
    const long burst = left < backlog ? left : backlog;
    for (long i = 0; i < burst; i++) connections[i] = send_request();
    if (backlog > 1) pass_turn(turns->server), await_turn(turns->clients), mark("read");
    for (long i = 0; i < burst; i++) answered += read_answer(connections[i]);
  }
  return answered;
}

static void write_file(void) {
  char body[BODY_BYTES];
  memset(body, 'x', sizeof body);
  const int file = open(FILE_NAME, O_WRONLY | O_CREAT, 0444);
  write_all(file, body, sizeof body);
  close(file);
}

long web(long count, long backlog) {
  const struct rlimit files = {(rlim_t)backlog + 64, (rlim_t)backlog + 64};
  struct turns turns;
  if (setrlimit(RLIMIT_NOFILE, &files) || pipe(turns.server) || pipe(turns.clients)) stop("files: ");
  write_file();
  const int server = stream_socket();
  if (bind(server, (const struct sockaddr *)&SERVER, sizeof SERVER)) stop("bind: ");
  if (listen(server, (int)backlog)) stop("listen: ");
  const pid_t child = fork();
  if (child < 0) stop("fork: ");
  if (child == 0) {
    serve(server, backlog, backlog, &turns);
    serve(server, count, backlog, &turns);
    _exit(0);
  }
  int *connections = calloc((size_t)backlog, sizeof *connections);
  if (!connections || ask(backlog, backlog, &turns, connections) != backlog) stop("first burst: ");
  mark("begin");
  const long answered = ask(count, backlog, &turns, connections);
  mark("end");
  waitpid(child, NULL, 0);
  return answered;
}
