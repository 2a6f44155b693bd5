// Stage: sampler. dprof-sample -o FILE [options] -- PROGRAM ARGUMENTS: runs it, and samples its accesses. `dprof
// sample` checks the options.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "../../../recorder/child.h"
#include "../../../recorder/message.h"
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
  EventWishes events;
  SampledProgram::Wishes program;
  size_t ring_bytes = 4 << 20;
  std::string output, preload, trace, recorder;
  bool randomised = false, which = false;
  char **command = nullptr;
};

bool parse(int count, char **arguments, Options *options) {
  int i = 1;
  const char *text = nullptr;
  auto value = [&](const char *name) {
    if (strcmp(arguments[i], name) != 0 || i + 1 >= count) return false;
    text = arguments[++i];
    return true;
  };
  auto flag = [&](const char *name) { return strcmp(arguments[i], name) == 0; };
  auto number = [&] { return strtoull(text, nullptr, 10); };
  EventWishes &events = options->events;
  for (; i < count && strcmp(arguments[i], "--") != 0; i++) {
    if (value("-o"))
      options->output = text;
    else if (value("--preload"))
      options->preload = text;
    else if (value("--trace")) {
      options->trace = text;
      options->program.is_traced = true;
    } else if (value("--recorder"))
      options->recorder = text;
    else if (value("--event"))
      events.events.push_back(text);
    else if (value("--period"))
      events.period = number();
    else if (value("--period-loads"))
      events.period_loads = number();
    else if (value("--period-stores"))
      events.period_stores = number();
    else if (value("--latency"))
      events.latency = number();
    else if (value("--seed"))
      options->program.seed = number();
    else if (value("--most-objects"))
      options->program.most_objects = (uint32_t)number();
    else if (value("--buffer"))
      options->ring_bytes = number();
    else if (flag("--kernel"))
      events.kernel = true;
    else if (flag("--raw"))
      options->program.keeps_samples = true;
    else if (flag("--aslr"))
      options->randomised = true;
    else if (flag("--which"))
      options->which = true;
    else {
      complain(std::string("unknown option, or option without a value: ") + arguments[i], usage);
      return false;
    }
  }
  options->command = arguments + i + 1;
  if (options->which || (i + 1 < count && !options->output.empty() && !options->preload.empty())) return true;
  complain("no program to run, no -o, or no --preload", usage);
  return false;
}

// Its events are inherited by what it forks: the program is started by it, and it does nothing else.
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

int complain_of_file(const std::string &path, int error, const char *hint) {
  return complain_of({"cannot write " + path + ": " + strerror(error), hint});
}

// As reports have it: RunFacts.ended.
std::string describe_end(int status) {
  if (!WIFSIGNALED(status)) return "exited with status " + std::to_string(WEXITSTATUS(status));
  const char *name = sigabbrev_np(WTERMSIG(status));
  return std::string("killed by ") + (name ? std::string("SIG") + name : "signal " + std::to_string(WTERMSIG(status)));
}

Launch start(const Options &options, SampledProgram &program) {
  unsetenv("DPROF_SESSION");
  const std::vector<EnvironmentEntry> added = program.environment(options.preload);
  if (options.trace.empty()) return launch(options.command, added, options.randomised, false);
  return launch_recorded(options.recorder, options.trace, options.command, added, options.randomised);
}

// Minus the exit status, if there is no file to keep.
int take_events(const Options &options, const EventChoice &choice, SamplesFile &file,
                const std::vector<int> &files_of_program) {
  SampledProgram program(options.program, file);
  if (int error = program.create())
    return -complain_of(
        {std::string("no place for the session: ") + strerror(error), "make room in /dev/shm, or set TMPDIR"});
  set_signals(true);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  raise_file_limit();
  SampledEvents events(choice.events, options.ring_bytes, options.program.seed);
  Starter starter(events, [&] { return start(options, program); });
  if (starter.error()) return -complain_of(refuse(choice.events[0], starter.error()));
  const Launch &started = starter.launch();
  set_child(started.pid);
  // Rings must not fill while this waits for a processor. Behind the start, since the program would inherit it; only
  // root may.
  constexpr int first_served = -10;
  setpriority(PRIO_PROCESS, 0, first_served);
  for (int descriptor : files_of_program)
    close(descriptor); // who reads a pipe waits for the last one that could write to it
  if (started.error) {
    if (started.pid > 0) waitpid(started.pid, nullptr, 0);
    return -complain_about_start(options.command[0], started.error);
  }
  if (started.kept_randomised)
    say("address randomisation could not be switched off: two runs will differ in addresses");
  const Processor processor = describe_processor();
  Sampling sampling(events, program, processor, !options.trace.empty(), options.command[0]);
  const int status = sampling.run(started.pid);
  const int exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (!sampling.processes().program())
    return -std::max(exit_status, 1); // the recorder could not start it, and has said why
  if (!program.program_came())
    return -complain_of(
        {std::string(options.command[0]) +
             " is linked statically, or does not take preloaded libraries: its allocations can not be seen",
         "link it dynamically; set-user-ID programs must be run as their owner"});
  SampleFacts facts;
  facts.run = describe_run(processor, options.command);
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
  facts.trace = options.trace;
  facts.aslr = options.randomised || started.kept_randomised;
  if (int error = program.finish(facts))
    return -complain_of_file(options.output, error, "make room, or choose another place with -o");
  return exit_status;
}

int take(const Options &options, const Machine &machine) {
  std::vector<int> files_of_program = inherited_files();
  const EventChoice choice = choose_events(options.events, machine);
  if (choice.refusal) return complain_of(choice.refusal);
  SamplesFile file;
  if (int error = file.create(options.output))
    return complain_of_file(options.output, error, "choose another place with -o");
  const int status = take_events(options, choice, file, files_of_program);
  if (status < 0) file.remove();
  return status < 0 ? -status : status;
}

// What samples memory here, as `dprof doctor` prints it.
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
