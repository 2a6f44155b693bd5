// Stage: sampler. Progress on standard error for work that takes longer than a second, as src/cli/progress.ts prints
// it.
#pragma once

#include <stdint.h>

#include <string>

namespace dprof {

class Progress {
public:
  explicit Progress(const std::string &program);
  // Call it often; it prints now and then.
  void show(uint64_t samples, uint64_t lost);
  ~Progress();

private:
  std::string program_;
  bool is_terminal_, is_wanted_, has_written_ = false;
  uint64_t begin_ns_, next_ns_, interval_ns_;
};

} // namespace dprof
