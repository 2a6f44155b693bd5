// Stage: tests of the sampler. dprof-sample-probe --script FILE (script.h), or
// dprof-sample-probe -o FILE --preload LIBRARY [--keep] [--seed N] [--most-objects N] -- PROGRAM ARGUMENTS
// A program says itself what is sampled: it writes a struct dprof::Sample to the pipe whose number is in DPROF_PROBE.
// No PMU is needed for that, and tests know every address.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../recorder/clock.h"
#include "../../../recorder/message.h"
#include "../../run/start.h"
#include "../collector/sampled_program.h"
#include "../collector/samples_file.h"
#include "facts.h"
#include "script.h"

namespace {

using namespace dprof;

// A program's thread that has taken the time writes it soon behind.
constexpr uint64_t writing_ns = 100000000;

uint64_t read_samples(int pipe, SampledProgram &program) {
  Sample sample;
  uint64_t count = 0;
  for (; read(pipe, &sample, sizeof sample) == sizeof sample; count++)
    program.add(sample); // a write of so few bytes is whole
  return count;
}

int run(const std::string &output, const std::string &preload, const SampledProgram::Wishes &wishes, char **command) {
  SamplesFile file;
  if (int error = file.create(output))
    return complain("cannot write " + output + ": " + strerror(error), "choose another place with -o"), 1;
  SampledProgram program(wishes, file);
  if (int error = program.create())
    return complain(std::string("no place for the session: ") + strerror(error), "make room in /dev/shm"), 1;
  const std::string name = output + ".pipe";
  int pipe = mkfifo(name.c_str(), 0600) == 0 ? open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
  if (pipe < 0) return complain("no pipe: " + name, "choose another place with -o"), 1;
  std::vector<EnvironmentEntry> added = preloading(preload, "DPROF_SAMPLER", program.session());
  added.push_back({"DPROF_PROBE", name});
  const uint64_t start_ns = now_ns();
  Launch launched = launch(command, added, false, false);
  if (launched.error) return complain(std::string("can not run ") + command[0], strerror(launched.error)), 1;
  program.come(launched.pid);
  int status = 0;
  uint64_t count = 0;
  while (waitpid(launched.pid, &status, WNOHANG) == 0) {
    const uint64_t now = now_ns();
    count += read_samples(pipe, program);
    program.mapped();
    program.poll();
    program.settle(now - writing_ns);
    usleep(1000);
  }
  count += read_samples(pipe, program);
  program.settle(~0ull);
  unlink(name.c_str());
  close(pipe);
  SampleFacts facts = plain_facts(count);
  facts.start_ns = start_ns;
  facts.end_ns = now_ns();
  facts.ended = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                    : "exit " + std::to_string(WEXITSTATUS(status));
  if (!program.program_came()) complain("the library was not loaded", "is the program linked statically?");
  if (int error = program.finish(facts))
    return complain("cannot write " + output + ": " + strerror(error), "make room"), 1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int main(int count, char **arguments) {
  SampledProgram::Wishes wishes;
  std::string output, preload;
  int i = 1;
  for (; i < count && strcmp(arguments[i], "--") != 0; i++) {
    const std::string name = arguments[i];
    if (name == "--keep")
      wishes.keeps_samples = true;
    else if (i + 1 == count)
      return 2;
    else if (name == "--script")
      return run_script(arguments[++i]);
    else if (name == "-o")
      output = arguments[++i];
    else if (name == "--preload")
      preload = arguments[++i];
    else if (name == "--seed")
      wishes.seed = strtoull(arguments[++i], nullptr, 10);
    else if (name == "--most-objects")
      wishes.most_objects = (uint32_t)strtoul(arguments[++i], nullptr, 10);
    else
      return 2;
  }
  if (i + 1 >= count || output.empty()) return 2;
  return run(output, preload, wishes, arguments + i + 1);
}
