// Stage: collector of histories. perf_event_open(PERF_TYPE_BREAKPOINT) on each thread, one ring per thread.
//
// An event is opened once, disabled, and then only changed (PERF_EVENT_IOC_MODIFY_ATTRIBUTES): the kernel takes it off
// the processor the thread runs on, by an interrupt to that processor, and puts it back with the new address, before
// the call returns. Debug registers trap behind the access; `ip` is of the next instruction. Accesses in the kernel do
// not count.
#include "registers.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace dprof {
namespace {

constexpr size_t page = 4096;
// A page holds 85 samples: the traps of one thread in 0.8 ms. A user who is not root may lock perf_event_mlock_kb (516)
// for each processor, for all threads together. The first threads, which usually live longest, get large rings, and
// many get some.
size_t most_ring_pages(size_t threads) {
  if (geteuid() == 0) return 64;
  return threads < 4 ? 16 : threads < 16 ? 4 : 1;
}
constexpr uint64_t nowhere = 8; // a disabled event needs an address too

// Since Linux 5.13: the program that is executed in the place of another one has none of its addresses.
bool knows_remove_on_exec = true;

perf_event_attr attributes_for(const Watchpoint &point, bool is_armed) {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.bp_type = HW_BREAKPOINT_RW;
  attributes.bp_addr = point.address;
  attributes.bp_len = point.bytes;
  attributes.disabled = !is_armed;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.sample_period = 1;
  attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
  attributes.remove_on_exec = knows_remove_on_exec;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

int open_event(pid_t thread, const Watchpoint &point, bool is_armed) {
  perf_event_attr attributes = attributes_for(point, is_armed);
  int event = (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (event >= 0 || errno != EINVAL || !knows_remove_on_exec) return event;
  knows_remove_on_exec = false;
  return open_event(thread, point, is_armed);
}

struct Sample {
  perf_event_header header;
  uint64_t ip;
  uint32_t pid, tid;
  uint64_t time, address;
  uint32_t cpu, reserved;
};
static_assert(sizeof(Sample) == 48, "PERF_RECORD_SAMPLE of this sample_type");

struct Lost {
  perf_event_header header;
  uint64_t id, lost;
};

// Copies the bytes of the ring at `at`; they may wrap around its end.
void copy_out(const uint8_t *data, size_t data_bytes, uint64_t at, void *to, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) ((uint8_t *)to)[i] = data[(at + i) % data_bytes];
}

uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

} // namespace

Registers::~Registers() {
  for (auto &[number, thread] : threads_) close_events(thread);
}

void Registers::close_events(Thread &thread) {
  if (thread.ring) munmap(thread.ring, page + thread.data_bytes);
  for (int event : thread.events) close(event);
  thread = {};
}

int Registers::map_ring(Thread *thread) {
  for (size_t pages = most_ring_pages(threads_.size()); pages > 0; pages /= 2) {
    void *at = mmap(nullptr, page * (1 + pages), PROT_READ | PROT_WRITE, MAP_SHARED, thread->events[0], 0);
    if (at == MAP_FAILED && pages > 1 && (errno == EPERM || errno == ENOMEM)) continue; // perf_event_mlock_kb
    if (at == MAP_FAILED) return errno;
    thread->ring = (uint8_t *)at;
    thread->data_bytes = page * pages;
    return 0;
  }
  return ENOMEM;
}

int Registers::open_events(pid_t number, Thread *opened) {
  for (unsigned i = 0; i < count_; i++) {
    int event = open_event(number, {nowhere, 8}, false);
    if (event < 0) return errno;
    opened->events.push_back(event);
    if (i == 0) {
      if (int error = map_ring(opened)) return error;
    } else if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, opened->events[0]) != 0) {
      return errno;
    }
  }
  for (size_t i = 0; i < armed_.size(); i++)
    if (int error = set(*opened, (unsigned)i, &armed_[i])) return error;
  return 0;
}

int Registers::open_thread(pid_t number) {
  close_thread(number); // a number that is used again
  Thread opened;
  int error = open_events(number, &opened);
  if (error)
    close_events(opened);
  else
    threads_[number] = opened;
  return error;
}

std::set<pid_t> Registers::numbers() const {
  std::set<pid_t> found;
  for (const auto &[number, thread] : threads_) found.insert(number);
  return found;
}

void Registers::close_thread(pid_t number) {
  auto found = threads_.find(number);
  if (found == threads_.end()) return;
  drain_ring(found->second, number);
  close_events(found->second);
  threads_.erase(found);
}

int Registers::set(const Thread &thread, unsigned place, const Watchpoint *point) {
  perf_event_attr attributes = attributes_for(point ? *point : Watchpoint{nowhere, 8}, point != nullptr);
  return ioctl(thread.events[place], PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attributes) == 0 || errno == ESRCH ? 0 : errno;
}

int Registers::arm(const std::vector<Watchpoint> &points) {
  armed_ = points;
  for (auto &[number, thread] : threads_)
    for (size_t i = 0; i < points.size(); i++)
      if (int error = set(thread, (unsigned)i, &points[i])) {
        release();
        return error;
      }
  return 0;
}

void Registers::release() {
  for (auto &[number, thread] : threads_)
    for (size_t i = 0; i < armed_.size(); i++) ioctl(thread.events[i], PERF_EVENT_IOC_DISABLE, 0);
  armed_.clear();
}

void Registers::drain_ring(Thread &thread, pid_t) {
  auto *head_of_ring = (perf_event_mmap_page *)thread.ring;
  const uint8_t *data = thread.ring + page;
  uint64_t head = __atomic_load_n(&head_of_ring->data_head, __ATOMIC_ACQUIRE), tail = head_of_ring->data_tail;
  while (tail < head) {
    perf_event_header header;
    copy_out(data, thread.data_bytes, tail, &header, sizeof header);
    if (header.type == PERF_RECORD_SAMPLE && header.size == sizeof(Sample)) {
      Sample sample;
      copy_out(data, thread.data_bytes, tail, &sample, sizeof sample);
      seen_.push_back({sample.time, sample.ip, sample.address, sample.tid, sample.cpu});
    } else if (header.type == PERF_RECORD_LOST) {
      Lost lost;
      copy_out(data, thread.data_bytes, tail, &lost, sizeof lost);
      lost_ += lost.lost;
    }
    tail += header.size;
  }
  __atomic_store_n(&head_of_ring->data_tail, tail, __ATOMIC_RELEASE);
}

void Registers::drain(std::vector<Sighting> *to) {
  for (auto &[number, thread] : threads_) drain_ring(thread, number);
  to->insert(to->end(), seen_.begin(), seen_.end());
  seen_.clear();
}

int try_registers(unsigned count, pid_t thread) {
  std::vector<int> events;
  int error = 0;
  for (unsigned i = 0; i < count && !error; i++) {
    int event = open_event(thread, {nowhere, 8}, false);
    if (event < 0)
      error = errno;
    else
      events.push_back(event);
  }
  for (int event : events) close(event);
  return error;
}

unsigned count_registers(unsigned wanted, pid_t thread) {
  while (wanted > 0 && try_registers(wanted, thread) != 0) wanted--;
  return wanted;
}

uint64_t measure_trap_ns() {
  constexpr int rounds = 9, accesses = 20;
  alignas(8) volatile uint64_t watched = 0;
  auto time_accesses = [&] {
    uint64_t begin = now_ns();
    for (int i = 0; i < accesses; i++) watched = (uint64_t)i;
    return now_ns() - begin;
  };
  std::vector<uint64_t> with;
  Registers own(1);
  if (own.open_thread((pid_t)syscall(SYS_gettid)) || own.arm({{(uint64_t)(uintptr_t)&watched, 8}})) return 0;
  std::vector<Sighting> seen;
  for (int i = 0; i < rounds; i++) {
    with.push_back(time_accesses());
    own.drain(&seen);
  }
  own.release();
  uint64_t without = time_accesses();
  std::sort(with.begin(), with.end());
  return with[rounds / 2] > without ? (with[rounds / 2] - without) / accesses : 0;
}

} // namespace dprof
