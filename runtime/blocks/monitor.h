// Stage: blocks. The child that runs a block, seen from outside: every stop of it, and what it means.
#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include <string>

#include "confinement.h"
#include "method.h"

namespace dprof {

struct Outcome {
  bool is_finished = false;
  const char *status = "", *reason = ""; // if it is not
  uint64_t address = 0;                  // of the instruction where it ended
};

// What the floating point units remember of a run.
struct StickyFlags {
  uint32_t mxcsr = 0;
  uint16_t x87 = 0;
};

class Monitor {
public:
  Monitor(SharedWindow &window, bool is_counted, Pages mapped);
  ~Monitor();
  Monitor(const Monitor &) = delete;

  // Up to the harness's end. Pages that the block touches are mapped on the way.
  Outcome run(bool is_timed, uint64_t entry = 0);
  StickyFlags sticky_flags() const;

  int pages = 0; // that were mapped
  // What the system refused; empty: nothing.
  std::string refusal;

private:
  Outcome judge(const siginfo_t &signal, const user_regs_struct &registers);
  Outcome judge_fault(const siginfo_t &fault, const user_regs_struct &registers);
  bool wait(int *status);
  bool has_used_its_time() const;
  void go(uint64_t to, const user_regs_struct *registers = nullptr);
  void map_page(uint64_t address);
  void end();

  SharedWindow &window_;
  bool is_counted_;
  Pages mapped_;
  pid_t child_ = -1;
  user_regs_struct begin_ = {};
  uint64_t last_mapped_ = 0;
  bool is_late_ = false;
};

// Before the first monitor: a clock that interrupts waits.
void watch_time();

} // namespace dprof
