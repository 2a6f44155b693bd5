// Stage: sampler. COMM, FORK, EXIT, MMAP2 and LOST, each with pid, tid, time, cpu and the event's identifier behind it.
#include "process_events.h"

#include <linux/perf_event.h>
#include <string.h>

#include <algorithm>

namespace dprof {
namespace {

constexpr size_t most_kept = 1 << 20;

struct Trailer {
  uint32_t pid, tid;
  uint64_t time_ns;
  uint32_t cpu, reserved;
  uint64_t identifier;
};

struct TaskRecord {
  perf_event_header header;
  uint32_t pid, parent_pid, tid, parent_tid;
  uint64_t time_ns;
};

struct CommRecord {
  perf_event_header header;
  uint32_t pid, tid; // the name and zeroes up to the trailer
};

struct LostRecord {
  perf_event_header header;
  uint64_t identifier, lost;
};

template <typename T> bool read_as(const uint8_t *record, size_t bytes, T *as) {
  if (bytes < sizeof *as) return false;
  memcpy(as, record, sizeof *as);
  return true;
}

} // namespace

ProcessEvents::News ProcessEvents::take(const uint8_t *record, size_t bytes) {
  perf_event_header header;
  LostRecord lost;
  memcpy(&header, record, sizeof header);
  switch (header.type) {
    case PERF_RECORD_COMM:
      take_name(record, bytes, header.misc & PERF_RECORD_MISC_COMM_EXEC);
      return header.misc & PERF_RECORD_MISC_COMM_EXEC ? News::mapping : News::none;
    case PERF_RECORD_FORK: take_change(record, bytes, true); return News::thread;
    case PERF_RECORD_EXIT: take_change(record, bytes, false); return News::none;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2: return News::mapping;
    case PERF_RECORD_LOST:
      if (read_as(record, bytes, &lost)) lost_ += lost.lost;
      return News::none;
    default: return News::none;
  }
}

void ProcessEvents::take_name(const uint8_t *record, size_t bytes, bool is_exec) {
  CommRecord comm;
  Trailer trailer;
  if (!read_as(record, bytes, &comm) || bytes < sizeof comm + sizeof trailer) return;
  memcpy(&trailer, record + bytes - sizeof trailer, sizeof trailer);
  const char *name = (const char *)record + sizeof comm;
  if (is_exec && is_recorder_ && !program_ && comm.pid != (uint32_t)first_) {
    program_ = (pid_t)comm.pid;
    begin_ns_ = trailer.time_ns;
  }
  if (names_.size() == most_kept)
    passed_over_++;
  else
    names_.push_back({trailer.time_ns, comm.pid, comm.tid,
                      std::string(name, strnlen(name, bytes - sizeof comm - sizeof trailer)), is_exec});
}

void ProcessEvents::take_change(const uint8_t *record, size_t bytes, bool is_fork) {
  TaskRecord task;
  if (!read_as(record, bytes, &task)) return;
  if (is_fork) processes_.insert(task.pid);
  if (changes_.size() == most_kept)
    passed_over_++;
  else
    changes_.push_back({task.time_ns, is_fork, task.pid, task.tid, task.parent_pid, task.parent_tid});
}

void ProcessEvents::finish() {
  auto is_earlier = [](const auto &a, const auto &b) { return a.time_ns < b.time_ns; };
  std::sort(names_.begin(), names_.end(), is_earlier);
  std::sort(changes_.begin(), changes_.end(), is_earlier);
}

} // namespace dprof
