// Stage: sampler. dprof-sample -o FILE [options] -- PROGRAM ARGUMENTS: runs it, and samples its accesses. `dprof
// sample` checks the options.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "../../../recorder/child.h"
#include "../../../recorder/message.h"
#include "../../run/options.h"
#include "../../run/start.h"
#include "run_tables.h"
#include "sampled_program.h"
#include "samples_file.h"
#include "sampling.h"

namespace {

using namespace dprof;

constexpr char usage[] =
    "dprof-sample -o FILE [--event EVENT]... [--period N] [--period-loads N] [--period-stores N] [--latency CYCLES] "
    "[--kernel] [--raw] [--most-objects N] [--seed N] [--buffer BYTES]"
    " [--trace FILE --recorder PROGRAM] [--aslr] --preload LIBRARY -- PROGRAM [ARGUMENTS], or dprof-sample --which";
constexpr char devices[] = "/sys/bus/event_source/devices";

struct Options {
  RunOptions run;
  EventWishes events;
  SampledProgram::Wishes program;
  uint64_t ring_bytes = 4 << 20;
  bool which = false;
};

bool parse(int count, char **arguments, Options *options) {
  EventWishes &events = options->events;
  const std::vector<Option> own = {
      {"event", 1, [&](char **values) { events.events.push_back(values[0]); }},
      number("period", &events.period),
      number("period-loads", &events.period_loads),
      number("period-stores", &events.period_stores),
      number("latency", &events.latency),
      number("seed", &options->program.seed),
      number("most-objects", &options->program.most_objects),
      number("buffer", &options->ring_bytes),
      flag("kernel", &events.kernel),
      flag("raw", &options->program.keeps_samples),
      flag("which", &options->which),
  };
  if (!parse_options(count, arguments, usage, own, &options->run, [&] { return !options->which; })) return false;
  options->program.is_traced = !options->run.trace.empty();
  return true;
}

// Its child processes inherit its events: it starts the program, and does nothing else.
class Starter {
public:
  Starter(SampledEvents &events, const std::function<Launch()> &start)
      : thread_([this, &events, start] {
          error_ = events.open();
          if (!error_) launch_ = start();
          std::unique_lock<std::mutex> held(mutex_);
          has_started_ = true;
          changed_.notify_all();
          changed_.wait(held, [this] { return is_over_; });
        }) {
    std::unique_lock<std::mutex> held(mutex_);
    changed_.wait(held, [this] { return has_started_; });
  }
  ~Starter() {
    {
      std::lock_guard<std::mutex> held(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  int error() const { return error_; }
  const Launch &launch() const { return launch_; }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_started_ = false, is_over_ = false;
  int error_ = 0;
  Launch launch_;
  std::thread thread_; // behind all that it uses
};

int complain_of(const Refusal &refusal) {
  complain(refusal.line, refusal.hint);
  return 1;
}

// As reports have it: RunFacts.ended.
std::string describe_end(int status) {
  if (!WIFSIGNALED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
  const char *name = sigabbrev_np(WTERMSIG(status));
  return std::string("killed by ") + (name ? std::string("SIG") + name : "signal " + std::to_string(WTERMSIG(status)));
}

// Minus the exit status, if there is no file to keep.
int take_events(const Options &options, const EventChoice &choice, SamplesFile &file,
                const std::vector<int> &files_of_program) {
  SampledProgram program(options.program, file);
  if (int error = program.create()) return -complain_of_session(error);
  prepare_to_start();
  SampledEvents events(choice.events, options.ring_bytes, options.program.seed);
  Starter starter(events, [&] { return start_program(options.run, "DPROF_SAMPLER", program.session()); });
  if (starter.error()) return -complain_of(refuse(choice.events[0], starter.error()));
  const Launch &started = starter.launch();
  if (int failed = follow_start(started, options.run, files_of_program)) return -failed;
  const Processor processor = describe_processor();
  Sampling sampling(events, program, processor, !options.run.trace.empty(), options.run.command[0]);
  const int status = sampling.run(started.pid);
  const int exit_status = exit_status_of(status);
  if (!sampling.processes().program())
    return -std::max(exit_status, 1); // the recorder could not start it, and has said why
  if (!program.program_came()) return -complain_of_no_library(options.run);
  SampleFacts facts;
  facts.run = describe_run(processor, options.run.command);
  facts.events = describe_events(events.sources(), sampling.samples());
  facts.names = describe_names(sampling.processes());
  facts.changes = describe_changes(sampling.processes());
  facts.lost = describe_losses(sampling.losses());
  facts.ended = describe_end(status);
  facts.start_ns = sampling.start().ns;
  facts.end_ns = sampling.end().ns;
  facts.start_stamp = sampling.start().stamp;
  facts.end_stamp = sampling.end().stamp;
  facts.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
  facts.trace = options.run.trace;
  facts.aslr = options.run.randomised || started.kept_randomised;
  if (int error = program.finish(facts))
    return -complain_of_file(options.run.output, error, "make room, or choose another place with -o");
  return exit_status;
}

int take(const Options &options, const Machine &machine) {
  std::vector<int> files_of_program = inherited_files();
  const EventChoice choice = choose_events(options.events, machine);
  if (choice.refusal) return complain_of(choice.refusal);
  SamplesFile file;
  if (int error = file.create(options.run.output))
    return complain_of_file(options.run.output, error, "choose another place with -o");
  const int status = take_events(options, choice, file, files_of_program);
  if (status < 0) file.remove();
  return status < 0 ? -status : status;
}

// Prints what samples memory on this machine, for `dprof doctor`.
int print_which(const Machine &machine) {
  const EventChoice choice = choose_events({}, machine);
  std::string names;
  for (const EventSource &event : choice.events) names += (names.empty() ? "" : ", ") + event.name;
  const std::string line = (choice.refusal ? choice.refusal.line + "\n" + choice.refusal.hint : names) + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return 1;
  return choice.refusal ? 1 : 0;
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  if (!parse(count, arguments, &options)) return 2;
  const Machine machine = {devices, describe_processor().kernel, try_open};
  return options.which ? print_which(machine) : take(options, machine);
}
