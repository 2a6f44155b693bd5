// Stage: sampler. The program's run: rings -> samples, in order of time, to where they get their types.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../records/spe_samples.h"
#include "process_events.h"
#include "processor.h"
#include "progress.h"
#include "sample_decoder.h"
#include "sampled_events.h"
#include "sampled_program.h"

namespace dprof {

struct SampleLosses {
  uint64_t records = 0; // that found no room, of samples
  uint64_t samples = 0; // that processor or kernel dropped
  uint64_t throttles = 0;
  uint64_t truncated_aux = 0; // pieces of SPE packets that were cut short, or collided
  uint64_t out_of_order = 0;  // older than samples that were already passed on; they are kept nevertheless
  std::map<std::string, uint64_t> skipped;
};

// One moment by two clocks: CLOCK_MONOTONIC, and the clock of stamps in traces.
struct Instant {
  uint64_t ns = 0, stamp = 0;
};

class Sampling {
public:
  // `name`: for the line of progress. `is_traced`: the process that is started is dprof-record, and the program its
  // child.
  Sampling(SampledEvents &events, SampledProgram &program, const Processor &processor, bool is_traced,
           const std::string &name)
      : events_(events), program_(program), cpu_(processor.amd), has_source_numbers_(numbers_sources(processor.cpu_id)),
        is_traced_(is_traced), progress_(name) {}

  // Runs until `child` has ended; returns its wait status.
  int run(pid_t child);

  const ProcessEvents &processes() const { return *processes_; }
  // Numbers of samples, by source.
  const std::vector<uint64_t> &samples() const { return samples_; }
  const SampleLosses &losses() const { return losses_; }
  const Instant &start() const { return start_; }
  const Instant &end() const { return end_; }

private:
  void read_rings();
  void take(Ring &ring, const uint8_t *record, size_t bytes);
  void take_aux(Ring &ring, const uint8_t *record, size_t bytes);
  void keep(Sample &sample, int source);
  void take_sample(const uint8_t *record, size_t bytes);
  // Passes on the samples that are older.
  void settle(uint64_t before_ns);
  void wait();
  void count_losses();

  SampledEvents &events_;
  SampledProgram &program_;
  AmdModel cpu_;
  bool has_source_numbers_; // of SPE
  bool is_traced_, has_come_ = false;
  Progress progress_;
  std::unique_ptr<ProcessEvents> processes_;
  std::vector<Sample> waiting_;
  std::vector<uint64_t> samples_;
  SampleLosses losses_;
  Instant start_, end_;
  uint64_t settled_ns_ = 0, lost_by_records_ = 0, taken_ = 0;
};

} // namespace dprof
