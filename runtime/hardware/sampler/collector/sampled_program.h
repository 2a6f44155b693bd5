// Stage: sampler. A running program's allocations, variables and code -> the type of each sample, and rows of typed
// samples.
//
// Samples and allocations are two streams with times of one clock. Either stream may have entries that have not been
// read yet, so both are held until `settle` says up to which time the samples are complete. Allocations are read after
// the samples, and an object is announced before the program has its address.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "../../../recorder/json.h"
#include "../../records/sample.h"

namespace dprof {

class SamplesFile;

// What whoever opened the events knows; JSON as src/hardware/samples/samples.ts has it.
struct SampleFacts {
  Json run;
  Json events; // with their samples, every one that was added
  Json mappings = Json::list(), names = Json::list(), changes = Json::list();
  Json lost;
  std::string ended; // as RunFacts.ended
  uint64_t start_ns = 0, end_ns = 0, start_stamp = 0, end_stamp = 0;
  uint32_t cpus = 0;
  std::string trace; // empty: none
  bool aslr = false;
};

class SampledProgram {
public:
  struct Wishes {
    uint64_t seed = 1;
    uint32_t most_objects = 65536; // drawn objects of each type
    bool keeps_samples = false;    // keep single samples, beside the rows
    bool is_traced = false;        // dprof-record starts the program
  };
  // `file` gets single samples while the program runs, if they are wished for.
  SampledProgram(const Wishes &wishes, SamplesFile &file);
  ~SampledProgram();

  // Creates the session that the program maps: 0, or an errno. To be called before the launch.
  int create();
  // The session's path, which the program gets as DPROF_SAMPLER.
  std::string session() const;
  // The program is there, stopped or just begun; mappings are looked up in /proc.
  void come(pid_t process);
  // Reads the program's log. A thread of its own answers the program's questions. To be called every few milliseconds,
  // and once after the end.
  void poll();
  void add(const Sample &sample);
  // All samples with times below this have been added: types them. ~0 at the end.
  void settle(uint64_t before_ns);
  // The kernel reports that a module was mapped; it must be looked at while it is there.
  void mapped();

  // Whether the library was loaded; a statically linked program does not load it.
  bool program_came() const;
  // 0 until the program has come.
  pid_t program() const;
  // To be called after the last `settle`: completes the file. 0, or an errno.
  int finish(const SampleFacts &facts);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace dprof
