// Stage: program, preloaded. Allocations, frees and threads -> events in shared rings (dprof/sampler_session.h).
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "../../../lib/memory.h"
#include "../../../lib/system.h"
#include "../../interpose/call_sites.h"
#include "../../interpose/sink.h"
#include "dprof/sampler_session.h"

namespace dprof {

bool listening = false;

namespace {

dprof_sampler_control *control = nullptr;

struct ThisThread {
  dprof_sampler_ring *ring;
  uint32_t number; // the kernel's
  uint16_t is_asking;
  uint8_t is_announced;
  uint8_t is_announcing; // what is allocated meanwhile is the C library's, for the answer
};
__thread ThisThread self __attribute__((tls_model("initial-exec"))) = {};

constexpr int looks_before_sleep = 400;

uint64_t now_ns() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void pause_a_little() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

// The program goes on without the sampler if that has died, or wants no more.
bool sampler_is_there() {
  if (load(&control->done) || system_call(SYS_kill, control->sampler_pid, 0) != 0) listening = false;
  return listening;
}

void wake_sampler() {
  __atomic_store_n(&control->wake, 1u, __ATOMIC_SEQ_CST);
  futex_wake(&control->wake);
}

bool has_room(dprof_sampler_ring &ring, uint64_t place) { return place - load(&ring.read) < DPROF_SAMPLER_RING_EVENTS; }

__attribute__((noinline)) bool wait_for_room(dprof_sampler_ring &ring, uint64_t place) {
  const uint64_t begin = now_ns();
  for (int look = 0; !has_room(ring, place); look++) {
    const uint32_t room = load(&ring.room);
    wake_sampler();
    if (look < looks_before_sleep)
      pause_a_little();
    else if (!has_room(ring, place)) {
      futex_wait(&ring.room, room, 10);
      if (!sampler_is_there()) return false;
    }
  }
  fetch_add<uint64_t>(&control->waits_ns, now_ns() - begin);
  fetch_add<uint64_t>(&control->waits, 1);
  return true;
}

__attribute__((noinline)) void choose_ring() {
  self.number = (uint32_t)system_call(SYS_gettid);
  const uint32_t number = fetch_add(&control->threads, 1u);
  dprof_sampler_ring *ring = &control->rings[number % DPROF_SAMPLER_RINGS];
  if (!populate(ring, sizeof *ring)) { // a full /dev/shm; the first ring is there
    ring = &control->rings[0];
    fetch_add(&control->rings_refused, 1u);
  }
  self.ring = ring;
}

void log_event(dprof_sampler_event_kind kind, uint64_t time_ns, const void *address, uint64_t bytes, uint32_t site,
               uint32_t offset = 0) {
  if (__builtin_expect(!self.ring, 0)) choose_ring();
  dprof_sampler_ring &ring = *self.ring;
  const uint64_t place = __atomic_fetch_add(&ring.taken, 1, __ATOMIC_RELAXED);
  if (__builtin_expect(!has_room(ring, place), 0) && !wait_for_room(ring, place)) return;
  dprof_sampler_event &event = ring.events[place % DPROF_SAMPLER_RING_EVENTS];
  const uint64_t cpu = (uint64_t)sched_getcpu() & ((1u << DPROF_SAMPLER_CPU_BITS) - 1);
  const uint64_t most_bytes = (1ull << DPROF_SAMPLER_BYTES_BITS) - 1;
  event.address = (uintptr_t)address;
  event.bytes_cpu_kind = (bytes < most_bytes ? bytes : most_bytes) | cpu << DPROF_SAMPLER_BYTES_BITS |
                         (uint64_t)kind << (DPROF_SAMPLER_BYTES_BITS + DPROF_SAMPLER_CPU_BITS);
  event.site_offset = (site < DPROF_SAMPLER_NO_SITE ? site : DPROF_SAMPLER_NO_SITE) | offset << DPROF_SAMPLER_SITE_BITS;
  event.thread = self.number;
  store(&event.time_ns, time_ns);
}

// While an object of this class lives, the thread's allocations belong to its own question.
class Asking {
public:
  Asking() { self.is_asking++; }
  ~Asking() { self.is_asking--; }

private:
  ErrnoKept errno_;
};

bool is_missed() {
  if (__builtin_expect(!self.is_asking, 1)) return false;
  if (!self.is_announcing) fetch_add<uint64_t>(&control->missed, 1);
  return true;
}

// `lock` is held.
void ask(dprof_sampler_request_kind kind) {
  store<uint32_t>(&control->request, kind);
  wake_sampler();
  for (int look = 0; load(&control->request) != DPROF_SAMPLER_NOTHING; look++) {
    if (look < looks_before_sleep)
      pause_a_little();
    else {
      futex_wait(&control->request, kind, 50);
      if (load(&control->request) != DPROF_SAMPLER_NOTHING && !sampler_is_there()) return;
    }
  }
}

constexpr dprof_sampler_event_kind births[] = {DPROF_SAMPLER_ALLOCATE, DPROF_SAMPLER_PART, DPROF_SAMPLER_MAP,
                                               DPROF_SAMPLER_MAP};
constexpr dprof_sampler_event_kind ends[] = {DPROF_SAMPLER_FREE, DPROF_SAMPLER_FREE_PART, DPROF_SAMPLER_UNMAP,
                                             DPROF_SAMPLER_UNMAP};

} // namespace

void ask_for_site(uint32_t site, size_t bytes) {
  const uint64_t begin = now_ns();
  Locked locked(control->lock);
  control->request_site = site;
  control->request_bytes = bytes;
  ask(DPROF_SAMPLER_ASK_SITE);
  fetch_add<uint64_t>(&control->asks_ns, now_ns() - begin);
}

void consider(void *object, size_t bytes, size_t, uintptr_t site, Memory memory) {
  if (!object || is_missed()) return;
  const uint64_t time_ns = now_ns();
  KnownCall call;
  {
    Asking asking;
    call = know_call(control->sites, site, bytes);
  }
  const bool is_told = call.is_offset_known && call.offset >= 0 && call.offset < (int64_t)DPROF_SAMPLER_OFFSET_UNKNOWN;
  if (listening)
    log_event(births[(int)memory], time_ns, object, bytes, call.site,
              is_told ? (uint32_t)call.offset : DPROF_SAMPLER_OFFSET_UNKNOWN);
}

void consider_free(const void *object, size_t bytes, uintptr_t site, Memory memory) {
  if (!object || is_missed()) return;
  log_event(ends[(int)memory], now_ns(), object, bytes, site ? find_call_site(control->sites, site) : no_site);
}

void consider_kept(const void *object) {
  if (!is_missed()) log_event(DPROF_SAMPLER_KEPT, now_ns(), object, 0, no_site);
}

namespace {

int log_locals(struct dl_phdr_info *module, size_t, void *) {
  for (int i = 0; i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_TLS && module->dlpi_tls_data)
      log_event(DPROF_SAMPLER_LOCALS, now_ns(), module->dlpi_tls_data, module->dlpi_phdr[i].p_memsz,
                find_call_site(control->sites, (uintptr_t)module->dlpi_phdr));
  return 0;
}

// Finds the thread's stack. The first thread is left out: the kernel says where its stack is.
void find_stack(void **begin, size_t *bytes) {
  pthread_attr_t attributes;
  if (self.number == (uint32_t)system_call(SYS_getpid) || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, begin, bytes);
  pthread_attr_destroy(&attributes);
}

} // namespace

void announce_thread() {
  if (self.is_announced || !listening) return;
  self.is_announced = 1;
  Asking asking;
  self.is_announcing = 1;
  if (!self.ring) choose_ring();
  void *stack = nullptr;
  size_t bytes = 0;
  find_stack(&stack, &bytes);
  log_event(DPROF_SAMPLER_THREAD, now_ns(), stack, bytes, no_site);
  dl_iterate_phdr(log_locals, nullptr);
  self.is_announcing = 0;
}

void retire_thread() {
  if (!self.is_announced || !listening) return;
  self.is_announced = 0;
  ErrnoKept kept;
  log_event(DPROF_SAMPLER_END_THREAD, now_ns(), nullptr, 0, no_site);
}

namespace {

void in_child() {
  if (listening) fetch_add(&control->forks, 1u);
  listening = false;
}

bool join_session() {
  const char *path = getenv("DPROF_SAMPLER");
  if (!path) return false;
  int file = (int)system_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return false;
  control = (dprof_sampler_control *)map_far_away(sizeof *control, file);
  system_call(SYS_close, file);
  if (!control || control->magic != DPROF_SAMPLER_MAGIC || control->version != DPROF_SAMPLER_VERSION) return false;
  // Under the recorder, its program; a program that another one executes in its place goes on in its place.
  if (control->is_traced && !getenv("DPROF_SESSION")) return false;
  uint32_t pid = (uint32_t)system_call(SYS_getpid);
  listening = true;
  if (!sampler_is_there()) return false;
  listening = swap_if<uint32_t>(&control->program_pid, 0, pid) || load(&control->program_pid) == pid;
  return listening;
}

__attribute__((constructor)) void start() {
  ErrnoKept kept;
  if (!join_session()) return;
  store<uint32_t>(&control->lock, 0); // of a thread that was in a question when another one executed this program
  {
    Asking asking;
    Locked locked(control->lock);
    ask(DPROF_SAMPLER_BEGIN);
  }
  if (!listening) return;
  pthread_atfork(nullptr, nullptr, in_child);
  announce_thread();
}

} // namespace
} // namespace dprof
