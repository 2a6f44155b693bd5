// Stage: tests of the sampler. The probe writes the rings itself, as the preloaded library does.
#include "script.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "../../../lib/system.h"
#include "../../../recorder/message.h"
#include "../collector/samples_file.h"
#include "dprof/sampler_session.h"
#include "facts.h"

namespace dprof {
namespace {

const std::map<std::string, dprof_sampler_event_kind> kinds = {{"allocate", DPROF_SAMPLER_ALLOCATE},
                                                               {"part", DPROF_SAMPLER_PART},
                                                               {"map", DPROF_SAMPLER_MAP},
                                                               {"free", DPROF_SAMPLER_FREE},
                                                               {"free-part", DPROF_SAMPLER_FREE_PART},
                                                               {"unmap", DPROF_SAMPLER_UNMAP},
                                                               {"kept", DPROF_SAMPLER_KEPT},
                                                               {"exec", DPROF_SAMPLER_EXEC}};

class Run {
public:
  explicit Run(const std::string &output) : program_({.keeps_samples = true}, file_) {
    if (file_.create(output) != 0 || program_.create() != 0) throw std::runtime_error("cannot make " + output);
    int session = open(program_.session().c_str(), O_RDWR | O_CLOEXEC);
    control_ = (dprof_sampler_control *)mmap(nullptr, sizeof *control_, PROT_READ | PROT_WRITE, MAP_SHARED, session, 0);
    close(session);
    store<uint32_t>(&control_->program_pid, (uint32_t)getpid());
    store<uint32_t>(&control_->request, DPROF_SAMPLER_BEGIN);
    program_.poll();
  }
  ~Run() { munmap(control_, sizeof *control_); }

  void log(dprof_sampler_event_kind kind, uint64_t ring, uint64_t time_ns, uint64_t address, uint64_t bytes) {
    dprof_sampler_ring &to = control_->rings[ring];
    dprof_sampler_event &event = to.events[to.taken++ % DPROF_SAMPLER_RING_EVENTS];
    event.address = address;
    event.bytes_cpu_kind = bytes | (uint64_t)kind << (DPROF_SAMPLER_BYTES_BITS + DPROF_SAMPLER_CPU_BITS);
    event.site_offset = DPROF_SAMPLER_NO_SITE;
    event.thread = (uint32_t)ring;
    store(&event.time_ns, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
    program_.poll();
  }
  void sample(uint64_t time_ns, uint64_t address, uint64_t data_source) {
    Sample sample = {};
    sample.time_ns = time_ns;
    sample.address = address;
    sample.data_source = data_source;
    sample.period = 1;
    sample.pid = sample.tid = (uint32_t)getpid();
    program_.add(sample);
    samples_++;
  }
  void settle(uint64_t before_ns) { program_.settle(before_ns); }
  int finish() {
    program_.settle(~0ull);
    SampleFacts facts = plain_facts(samples_);
    facts.end_ns = last_ns_;
    return program_.finish(facts);
  }

private:
  SamplesFile file_;
  SampledProgram program_;
  dprof_sampler_control *control_;
  uint64_t samples_ = 0, last_ns_ = 0;
};

} // namespace

int run_script(const std::string &path) {
  std::ifstream script(path);
  std::unique_ptr<Run> run;
  for (std::string line; std::getline(script, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "run") {
      std::string output;
      words >> output;
      if (run && run->finish() != 0) return 1;
      run = std::make_unique<Run>(output);
      continue;
    }
    uint64_t numbers[4] = {};
    for (uint64_t &number : numbers) words >> std::setbase(0) >> number;
    if (verb == "sample")
      run->sample(numbers[0], numbers[1], numbers[2]);
    else if (verb == "settle")
      run->settle(numbers[0]);
    else if (kinds.contains(verb))
      run->log(kinds.at(verb), numbers[0], numbers[1], numbers[2], numbers[3]);
    else if (!verb.empty())
      return complain("not a line of a script: " + line, "script.h says what is"), 2;
  }
  return run ? run->finish() != 0 : 0;
}

} // namespace dprof
