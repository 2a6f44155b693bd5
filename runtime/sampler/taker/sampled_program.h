// Stage: sampler. A running program's allocations, variables and code -> the type of each sample, and rows of samples that have their types.
//
// Samples and allocations are two streams with times of one clock. Of each there may be some that have not been read yet, so both are held until `settle`
// says up to which time the samples are complete; allocations are read behind the samples, and an object is announced before the program has its address.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "../../recorder/launch.h"
#include "sample.h"

namespace dprof {

class SampledProgram {
public:
  struct Wishes {
    uint64_t seed = 1;
    uint32_t most_objects = 65536; // drawn of each type
    bool keeps_samples = false;    // single ones, beside the rows
    unsigned events = 0;
  };
  explicit SampledProgram(const Wishes &wishes);
  ~SampledProgram();

  // The session that the program maps: 0, or an errno. Before it is launched.
  int create();
  // What the program's environment needs; `preload` is the library.
  std::vector<EnvironmentEntry> environment(const std::string &preload) const;
  // The program is there, stopped or just begun; threads and mappings are looked up in /proc.
  void come(pid_t process);
  // Answers what waits for an answer, and reads what was logged. Called every millisecond or two, and once behind the end.
  void poll();
  void add(const Sample &sample);
  // All samples with times below this have been added: they are typed. ~0 at the end.
  void settle(uint64_t before_ns);
  // A module that the kernel says was mapped, so that it is looked at while it is there.
  void mapped();

  // The file but its events, losses and run, which whoever opened the events knows. See samples_file.h.
  bool program_came() const;
  struct State;
  State &state() { return *state_; }

private:
  std::unique_ptr<State> state_;
};

} // namespace dprof
