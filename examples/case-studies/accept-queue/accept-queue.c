// A web server with an instance on each core, as Apache in the DProf paper. The kernel makes a socket of each connection and puts it into the
// instance's accept queue, and the instance serves the socket at the queue's head. As long as clients offer what the server can do, the queue is
// short and a socket is served while it still lies in the core's cache. Clients that offer more fill the queue up to its backlog: from then on each
// socket waits until all those before it are served, and when its turn comes its lines have left the cache. The server gets slower for that,
// when it can afford it least. -DAFTER: admission control, a backlog that is as deep as the cache is large.
#include "../cores.h"

#ifndef CORES
#define CORES 4
#endif
#ifndef ROUNDS
#define ROUNDS 2500
#endif
#ifdef AFTER
#define BACKLOG 8 // sockets of which a core's L1 holds all
#else
#define BACKLOG 1024 // what listen() was asked for
#endif
#define DEPTH_AT_PEAK 4
#define FILES 16

struct tcp_sock { // Linux's is about as large
  struct tcp_sock *next;
  long state, local, remote;
  long sequence[4]; // of both directions
  char hash[64];
  char timers[256];
  char send_queue[128];
  char congestion[192];
  char options[768];
  struct payload *request;
};

struct payload { // of the size class 1024: the request as it came
  char bytes[1024];
};

struct file {
  char name[32];
  char content[480];
};

struct instance {
  _Alignas(LINE) pthread_mutex_t lock; // of the accept queue
  struct tcp_sock *head, *tail;
  long length, refused;
  struct tcp_sock *free; // the slab cache
  long served;
  struct file files[FILES];
};

struct slab { // what the cache has from the page allocator
  struct tcp_sock socks[BACKLOG + 1];
  struct payload payloads[BACKLOG + 1];
};

static struct instance instances[CORES];
static _Alignas(4096) struct slab slabs[CORES];

static struct tcp_sock *alloc_sock(struct instance *instance) {
  struct tcp_sock *sock = instance->free;
  instance->free = sock->next;
  dprof_alloc(sock, sizeof *sock, "struct tcp_sock");
  dprof_alloc(sock->request, sizeof *sock->request, "struct payload");
  return sock;
}

static void free_sock(struct instance *instance, struct tcp_sock *sock) {
  sock->next = instance->free;
  instance->free = sock;
  dprof_free(sock->request);
  dprof_free(sock);
}

/// The kernel's side: the handshake is over, the socket waits to be accepted.
static void tcp_conn_request(struct instance *instance, long client) {
  pthread_mutex_lock(&instance->lock);
  if (instance->length == BACKLOG) {
    instance->refused++; // the SYN is dropped
  } else {
    struct tcp_sock *sock = alloc_sock(instance);
    sock->next = NULL;
    sock->state = 1;
    sock->remote = client;
    sock->sequence[0] = sock->sequence[1] = client;
    memset(sock->hash, 0, sizeof sock->hash);
    memset(sock->timers, 0, sizeof sock->timers);
    memset(sock->request->bytes, 'r', sizeof sock->request->bytes); // comes with the handshake's last packet
    memset(sock->congestion, 0, sizeof sock->congestion);
    if (instance->head)
      instance->tail->next = sock;
    else
      instance->head = sock;
    instance->tail = sock;
    instance->length++;
  }
  pthread_mutex_unlock(&instance->lock);
}

static struct tcp_sock *inet_csk_accept(struct instance *instance) {
  pthread_mutex_lock(&instance->lock);
  struct tcp_sock *sock = instance->head;
  instance->head = sock->next;
  instance->length--;
  pthread_mutex_unlock(&instance->lock);
  sock->state = 2;
  return sock;
}

/// The server itself: reads the request, sends the file, closes the connection.
static void process_request(struct instance *instance, struct tcp_sock *sock) {
  unsigned long name = (unsigned long)sock->remote;
  for (int byte = 0; byte < 1024; byte += 16)
    name = 31 * name + (unsigned char)sock->request->bytes[byte];
  struct file *file = &instance->files[name % FILES];
  memcpy(sock->send_queue, file->content, sizeof sock->send_queue);
  for (int part = 0; part < 4; part++)
    sock->sequence[part] += 128;
  sock->timers[0]++;
  sock->timers[128]++;
  sock->congestion[0]++;
  sock->congestion[128]++;
  sock->state = 3;
  instance->served++;
  free_sock(instance, sock);
  dprof_mark("request");
}

/// So many connections come for each one that is served.
static void serve_at(struct instance *instance, int offered, long requests) {
  for (long request = 0; request < requests; request++) {
    for (int connection = 0; connection < offered; connection++)
      tcp_conn_request(instance, 8 * instance->served + connection);
    process_request(instance, inet_csk_accept(instance));
  }
}

static double begin_phase(long number, const char *name) {
  meet();
  if (number == 0)
    dprof_mark(name);
  meet();
  return seconds();
}

static void *serve(void *argument) {
  long number = (long)argument;
  struct instance *instance = &instances[number];
  pthread_mutex_init(&instance->lock, NULL);
  for (int at = 0; at <= BACKLOG; at++) {
    struct tcp_sock *sock = &slabs[number].socks[at];
    sock->request = &slabs[number].payloads[at];
    sock->next = instance->free;
    instance->free = sock;
  }
  for (int connection = 1; connection < DEPTH_AT_PEAK; connection++)
    tcp_conn_request(instance, connection);
  serve_at(instance, 1, 4 * FILES); // what was never touched before is touched now
  double peak = begin_phase(number, "peak");
  serve_at(instance, 1, ROUNDS);
  if (number == 0)
    tell_rate("requests of a core at peak", ROUNDS, peak);
  begin_phase(number, "overload");
  serve_at(instance, 2, 2 * BACKLOG); // the queue fills, and all that is in it comes to its head once
  double drop_off = begin_phase(number, "drop-off");
  serve_at(instance, 2, ROUNDS);
  if (number == 0)
    tell_rate("requests of a core at drop-off", ROUNDS, drop_off);
  return NULL;
}

int main(void) {
  run_on(CORES, serve);
  return 0;
}
