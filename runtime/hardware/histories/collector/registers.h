// Stage: collector of histories. The debug registers of all threads, opened from outside, and what they saw.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <map>
#include <set>
#include <vector>

namespace dprof {

// The range that one register watches: `bytes` is 1, 2, 4 or 8, and `address` a multiple of it.
struct Watchpoint {
  uint64_t address;
  uint32_t bytes;
};

struct Sighting {
  uint64_t time_ns;
  uint64_t ip;      // of the instruction behind
  uint64_t address; // the watchpoint's
  uint32_t thread, cpu;
};

class Registers {
public:
  explicit Registers(unsigned count) : count_(count) {}
  ~Registers();
  Registers(const Registers &) = delete;
  Registers &operator=(const Registers &) = delete;

  // 0, or the errno of the kernel's refusal. A thread that comes during a watch takes part in it.
  int open_thread(pid_t thread);
  // Drains the thread's sightings first.
  void close_thread(pid_t thread);
  // Arms every thread before it returns. 0, or an errno: then nothing is armed.
  int arm(const std::vector<Watchpoint> &points);
  void release();
  // Moves the sightings since the last call.
  void drain(std::vector<Sighting> *to);

  uint64_t lost() const { return lost_; }
  size_t threads() const { return threads_.size(); }
  std::set<pid_t> numbers() const;

private:
  struct Thread {
    std::vector<int> events; // the first event's ring holds the sightings of all
    uint8_t *ring = nullptr;
    size_t data_bytes = 0;
  };
  int open_events(pid_t thread, Thread *opened);
  int map_ring(Thread *thread);
  int set(const Thread &thread, unsigned place, const Watchpoint *point);
  void drain_ring(Thread &thread, pid_t number);
  void close_events(Thread &thread);

  unsigned count_;
  std::map<pid_t, Thread> threads_;
  std::vector<Watchpoint> armed_;
  std::vector<Sighting> seen_;
  uint64_t lost_ = 0;
};

// 0, or the errno with which the kernel refuses this process `count` registers on a thread; thread 0: on itself.
int try_registers(unsigned count, pid_t thread);
// How many of `wanted` registers can be had there.
unsigned count_registers(unsigned wanted, pid_t thread);
// The cost of a trap here, measured by this process's accesses to its own memory.
uint64_t measure_trap_ns();

} // namespace dprof
