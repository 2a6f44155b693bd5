// Stage: sampler. Events of a program that does not run yet, on every processor, and their rings.
//
// The events belong to the thread that calls `open`, which does nothing but start the program. The process that it
// forks inherits them, and so do all its threads and processes, from their first instruction on; nothing has to be
// announced. They count from the program's exec on. The kernel gives a new thread the period that the thread's own
// events have when it is born. Drawing that period anew disturbs nobody, since the thread itself counts nothing.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <deque>
#include <unordered_map>
#include <vector>

#include "event_sources.h"
#include "ring.h"

namespace dprof {

class SampledEvents {
public:
  // `ring_bytes`: size of each processor's ring; smaller if the kernel does not lock that much memory for this user.
  SampledEvents(const std::vector<EventSource> &sources, size_t ring_bytes, uint64_t seed);
  ~SampledEvents();
  SampledEvents(const SampledEvents &) = delete;
  SampledEvents &operator=(const SampledEvents &) = delete;

  // 0, or an errno.
  int open();
  // Draws new periods for threads that are born from now on.
  void draw_periods();
  // Begins the events that know no tasks; the others begin with the program.
  void begin();
  void end();
  // The index of the identifier's source; -1: none.
  int find(uint64_t identifier) const;
  // Lost samples as the kernel counted them at each event, including those that no record reports; valid if
  // `counts_lost`.
  bool counts_lost() const;
  std::vector<uint64_t> read_lost() const;

  const std::vector<EventSource> &sources() const { return sources_; }
  std::deque<Ring> &sample_rings() { return sample_rings_; }
  std::deque<Ring> &process_rings() { return process_rings_; }
  // They wake when records of processes have come, or a quarter of a ring of samples.
  std::vector<pollfd> &wakers() { return wakers_; }
  size_t ring_bytes() const { return ring_bytes_; }

private:
  struct Opened {
    int file;
    size_t source;
  };
  int open_processes(unsigned cpu);
  int open_source(size_t source, unsigned cpu, int *ring_file);
  int map_aux(int file);
  int map_ring(int file, size_t bytes, std::deque<Ring> *to);
  uint64_t draw(uint64_t below);
  uint64_t draw_period(const EventSource &source);

  std::vector<EventSource> sources_;
  std::vector<Opened> opened_;
  std::vector<int> others_; // leaders, and events of processes
  std::unordered_map<uint64_t, int> identifiers_;
  std::vector<std::pair<void *, size_t>> mappings_;
  std::deque<Ring> sample_rings_, process_rings_;
  std::vector<pollfd> wakers_;
  size_t ring_bytes_;
  bool has_begun_ = false;
  uint64_t random_;
};

// `TryOpen` of this machine: 0, or the errno with which the kernel refuses the event to a task of this user.
int try_open(const EventSource &source);

} // namespace dprof
