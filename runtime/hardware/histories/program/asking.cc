// Stage: program, preloaded. Allocations and frees -> requests to the collector, each answered before the call returns.
#include "../../interpose/sink.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../../../lib/memory.h"
#include "../../../lib/system.h"
#include "../../interpose/call_sites.h"
#include "dprof/histories_session.h"
#include "dprof/place_in_allocation.h"
#include "neighbours.h"

namespace dprof {

bool listening = false;

namespace {

dprof_histories_control *control = nullptr;

struct ThisThread {
  uint32_t number;  // the kernel's
  uint16_t is_busy; // in here already
  uint16_t is_announced;
};
__thread ThisThread self __attribute__((tls_model("initial-exec"))) = {};

class Busy {
public:
  Busy() { self.is_busy++; }
  ~Busy() { self.is_busy--; }

private:
  ErrnoKept errno_;
};

uint64_t now_ns() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t thread_number() {
  if (!self.number) self.number = (uint32_t)system_call(SYS_gettid);
  return self.number;
}

bool collector_is_there() { return system_call(SYS_kill, control->collector_pid, 0) == 0; }

// Answered soon where the collector is awake on another processor; so it is looked for a moment before this thread
// sleeps.
constexpr int looks_before_sleep = 400;

// `lock` is held. The program goes on without the collector if that has died.
void ask(dprof_histories_request_kind kind) {
  uint64_t begin = now_ns();
  store<uint32_t>(&control->request.kind, kind);
  __atomic_store_n(&control->wake, 1u, __ATOMIC_SEQ_CST);
  futex_wake(&control->wake);
  for (int look = 0; load(&control->request.kind) != DPROF_REQUEST_NONE; look++) {
    if (look < looks_before_sleep) {
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
      continue;
    }
    futex_wait(&control->request.kind, kind, 50);
    if (load(&control->request.kind) != DPROF_REQUEST_NONE && !collector_is_there()) {
      listening = false;
      break;
    }
  }
  fetch_add<uint64_t>(&control->waits_ns[kind], now_ns() - begin);
  fetch_add<uint64_t>(&control->waits[kind], 1);
}

// Its offset, too, is then known.
bool is_in_place(KnownCall *call, size_t bytes) {
  const int64_t offset = place_in_allocation(call->is_offset_known ? call->offset : unknown_offset,
                                             control->type_bytes[call->type], bytes);
  call->offset = offset == not_in_place ? 0 : offset;
  return offset != not_in_place;
}

// Sebastiano Vigna's SplitMix64: one state, one step.
uint64_t draw() {
  uint64_t x = control->seed += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

dprof_histories_object describe(void *object, size_t bytes, uintptr_t site, const KnownCall &call) {
  dprof_histories_object described = {};
  described.address = (uintptr_t)object;
  described.bytes = bytes;
  described.site = site;
  described.time_ns = now_ns();
  described.stamp = read_clock(&described.cpu);
  described.thread = thread_number();
  described.type = call.type == KnownCall::no_type ? 0 : call.type;
  described.offset = (uint32_t)call.offset;
  described.is_array = call.is_array;
  return described;
}

// Whether a history may begin with it; `lock` is held.
bool is_chosen(const dprof_histories_object &object) {
  if (control->watched[0]) {
    control->busy[object.type]++;
    return false;
  }
  if (control->one_in > 1 && (draw() >> 11) % control->one_in != 0) {
    control->not_drawn[object.type]++;
    return false;
  }
  if (control->last_begin_ns && object.time_ns - control->last_begin_ns < control->least_gap_ns) {
    control->too_soon[object.type]++;
    return false;
  }
  return true;
}

} // namespace

void ask_for_site(uint32_t site, size_t bytes) {
  Locked locked(control->lock);
  control->request.site = site;
  control->request.object[0].bytes = bytes;
  control->request.thread = thread_number();
  ask(DPROF_REQUEST_SITE);
}

void consider(void *object, size_t bytes, size_t element_bytes, uintptr_t site, Memory memory) {
  if (!object || self.is_busy || memory == Memory::mapped_file) return;
  if (memory == Memory::mapping) { // what the program makes of it nobody says
    fetch_add(&control->mappings, 1u);
    fetch_add<uint64_t>(&control->mapped_bytes, bytes);
    return;
  }
  Busy busy;
  if (load(&control->state) == DPROF_HISTORIES_DONE) {
    listening = false;
    return;
  }
  fetch_add<uint64_t>(&control->allocation_calls, 1);
  KnownCall call = know_call(control->sites, site, bytes);
  if (call.type == KnownCall::no_type || !listening) return;
  const uint32_t type = call.type;
  fetch_add<uint64_t>(&control->allocations[type], 1);
  if (!is_in_place(&call, bytes)) {
    fetch_add<uint64_t>(&control->misplaced[type], 1);
    return;
  }
  if (!control->share_lines && load(&control->watched[0])) {
    fetch_add<uint64_t>(&control->busy[type], 1);
    return;
  }
  if (!self.is_announced) announce_thread();
  call.is_array |= element_bytes == control->type_bytes[type] && call.offset == 0;
  Locked locked(control->lock);
  dprof_histories_object described = describe(object, bytes, load(&control->sites.entries[call.site].address), call);
  dprof_histories_request &request = control->request;
  request.objects = 1;
  bool is_alone = control->share_lines && !find_neighbour(described, &request.object[1]);
  if (control->share_lines) remember_object(described);
  if (is_alone) {
    control->alone[type]++;
    return;
  }
  if (!is_chosen(described)) return;
  if (control->share_lines) request.objects = 2;
  request.object[0] = described;
  request.thread = described.thread;
  control->last_begin_ns = described.time_ns;
  ask(DPROF_REQUEST_ARM);
}

void consider_free(const void *object, size_t, uintptr_t site, Memory memory) {
  if (!object || self.is_busy || memory == Memory::mapping) return;
  uint64_t address = (uintptr_t)object;
  const bool is_watched = load(&control->watched[0]) == address || load(&control->watched[1]) == address;
  if (!is_watched && !control->share_lines) return;
  Busy busy;
  Locked locked(control->lock);
  if (control->share_lines) forget_object(address);
  if (control->watched[0] != address && control->watched[1] != address) return;
  control->request.object[0] = describe((void *)object, 0, site, {});
  control->request.thread = thread_number();
  ask(DPROF_REQUEST_RELEASE);
}

void consider_kept(const void *) {} // its history has ended: one shorter than it might be

void announce_thread() {
  if (self.is_announced || !listening) return;
  self.is_announced = 1;
  Busy busy;
  Locked locked(control->lock);
  control->request.thread = thread_number();
  ask(DPROF_REQUEST_THREAD);
}

void retire_thread() {
  if (!self.is_announced || !listening) return;
  self.is_announced = 0;
  Busy busy;
  Locked locked(control->lock);
  control->request.thread = thread_number();
  ask(DPROF_REQUEST_END_THREAD);
}

namespace {

// A child of fork has its parent's registers no more than its threads.
void in_child() { listening = false; }
void in_parent() { fetch_add(&control->forked_children, 1u); }

bool join_session() {
  const char *path = getenv("DPROF_HISTORIES");
  if (!path) return false;
  int file = (int)system_call(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return false;
  control = (dprof_histories_control *)map_far_away(sizeof *control, file);
  system_call(SYS_close, file);
  if (!control || control->magic != DPROF_HISTORIES_MAGIC || control->version != DPROF_HISTORIES_VERSION) return false;
  // Under the recorder, its program; a program that another one executes in its place goes on in its place.
  if (control->is_traced && !getenv("DPROF_SESSION")) return false;
  uint32_t pid = (uint32_t)system_call(SYS_getpid);
  if (control->state == DPROF_HISTORIES_DONE || !collector_is_there()) return false;
  if (!swap_if<uint32_t>(&control->program_pid, 0, pid) && load(&control->program_pid) != pid) return false;
  control->lock = 0;
  control->watched[0] = control->watched[1] = 0;
  return true;
}

__attribute__((constructor)) void start() {
  if (!join_session()) return;
  store<uint32_t>(&control->state, DPROF_HISTORIES_TAKING);
  pthread_atfork(nullptr, in_parent, in_child);
  listening = true;
  announce_thread();
}

} // namespace
} // namespace dprof
