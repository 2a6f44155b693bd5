// Stage: taker. dprof-history -o FILE [options] -- PROGRAM ARGUMENTS: runs it, and watches objects of it. `dprof
// history` checks the options.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../recorder/bytes.h"
#include "../../../recorder/child.h"
#include "../../../recorder/launch.h"
#include "../../../recorder/message.h"
#include "../../code/perf_refusal.h"
#include "taking.h"

namespace {

using namespace dprof;

constexpr char usage[] =
    "dprof-history -o FILE [--type NAME]... [--field PATH]... [--slots-of TYPE BYTES OFFSET,...]... [--cover "
    "single|pairwise] [--width N] [--registers N] [--seed N] [--one-in N] [--per-second N]"
    " [--most-elements N] [--longest MILLISECONDS] [--sets N] [--share-lines] [--trace FILE --recorder PROGRAM] "
    "[--aslr] --preload LIBRARY -- PROGRAM [ARGUMENTS]";

struct Options {
  Wishes wishes;
  std::string output, preload, trace, recorder;
  bool randomised = false;
  char **command = nullptr;
};

ChosenSlots parse_slots(const char *bytes, const char *offsets) {
  ChosenSlots slots = {strtoull(bytes, nullptr, 10), {}};
  for (char *end = nullptr; *offsets; offsets = *end ? end + 1 : end)
    slots.offsets.push_back(strtoull(offsets, &end, 10));
  return slots;
}

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
  Wishes &wishes = options->wishes;
  for (; i < count && strcmp(arguments[i], "--") != 0; i++) {
    if (value("-o"))
      options->output = text;
    else if (value("--preload"))
      options->preload = text;
    else if (value("--trace"))
      options->trace = text;
    else if (value("--recorder"))
      options->recorder = text;
    else if (value("--type"))
      wishes.types.push_back(text);
    else if (value("--field"))
      wishes.plan.fields.push_back(text);
    else if (value("--cover"))
      wishes.plan.cover = strcmp(text, "pairwise") == 0 ? Cover::pairwise : Cover::single;
    else if (value("--width"))
      wishes.plan.width = (uint32_t)number();
    else if (value("--registers"))
      wishes.plan.registers = (uint32_t)number();
    else if (value("--seed"))
      wishes.seed = number();
    else if (value("--one-in"))
      wishes.one_in = (uint32_t)number();
    else if (value("--per-second"))
      wishes.per_second = (uint32_t)number();
    else if (value("--most-elements"))
      wishes.most_elements = (uint32_t)number();
    else if (value("--longest"))
      wishes.longest_ns = number() * 1000000u;
    else if (value("--sets"))
      wishes.sets = (uint32_t)number();
    else if (flag("--slots-of") && i + 3 < count) {
      wishes.slots_of[arguments[i + 1]] = parse_slots(arguments[i + 2], arguments[i + 3]);
      i += 3;
    } else if (flag("--share-lines"))
      wishes.share_lines = true;
    else if (flag("--aslr"))
      options->randomised = true;
    else {
      complain(std::string("unknown option, or option without a value: ") + arguments[i], usage);
      return false;
    }
  }
  options->command = arguments + i + 1;
  if (i + 1 < count && !options->output.empty() && !options->preload.empty()) return true;
  complain("no program to run, no -o, or no --preload", usage);
  return false;
}

// What the kernel refused, and the setting that would allow it.
void complain_about_registers(int error, unsigned wanted, unsigned available) {
  if (error == ENOSPC || error == EBUSY) {
    complain(registers_in_use(available, wanted),
             std::string("end the debugger or the perf that has them") +
                 (available ? ", or ask for fewer: --registers " + std::to_string(available) : ""));
    return;
  }
  Refusal refusal = explain_denial("debug registers", error, 2, "each thread takes " + std::to_string(wanted));
  if (!refusal)
    refusal = {std::string("this machine has no debug registers for programs (") + strerror(error) + ")",
               "run it on another; 'dprof doctor' says what a machine has"};
  complain(refusal.line, refusal.hint);
}

std::string describe_run(const Options &options, uint64_t trap_ns, bool randomised) {
  std::string command = "[";
  for (char **word = options.command; *word; word++)
    command += (word == options.command ? "" : ",") + json_string(*word);
  const Wishes &wishes = options.wishes;
  return "{\"command\":" + command + "],\"cover\":\"" + (wishes.plan.cover == Cover::pairwise ? "pairwise" : "single") +
         "\",\"width\":" + std::to_string(wishes.plan.width) +
         ",\"registers\":" + std::to_string(wishes.plan.registers) + ",\"seed\":" + std::to_string(wishes.seed) +
         ",\"oneIn\":" + std::to_string(wishes.one_in) + ",\"perSecond\":" + std::to_string(wishes.per_second) +
         ",\"mostElements\":" + std::to_string(wishes.most_elements) +
         ",\"longestNs\":" + std::to_string(wishes.longest_ns) + ",\"sets\":" + std::to_string(wishes.sets) +
         ",\"shareLines\":" + (wishes.share_lines ? "true" : "false") +
         ",\"randomised\":" + (randomised ? "true" : "false") +
         ",\"trace\":" + (options.trace.empty() ? "null" : json_string(options.trace)) +
         ",\"trapNs\":" + std::to_string(trap_ns) + ",\"cpus\":" + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + "}";
}

Launch start(const Options &options, Session &session) {
  const char *preloaded = getenv("LD_PRELOAD");
  std::vector<EnvironmentEntry> added = {
      {"DPROF_HISTORIES", session.path()},
      {"LD_PRELOAD", options.preload + (preloaded && *preloaded ? std::string(":") + preloaded : "")}};
  unsetenv("DPROF_SESSION");
  if (options.trace.empty()) return launch(options.command, added, options.randomised, false);
  session.control().is_traced = 1;
  return launch_recorded(options.recorder, options.trace, options.command, added, options.randomised);
}

int take(const Options &options) {
  std::vector<int> files_of_program = inherited_files();
  const unsigned wanted = options.wishes.plan.registers;
  if (int error = try_registers(wanted, 0)) {
    complain_about_registers(error, wanted, count_registers(wanted, 0));
    return 1;
  }
  const uint64_t trap_ns = measure_trap_ns();
  HistoriesFile file;
  if (int error = file.create(options.output)) {
    complain("cannot write " + options.output + ": " + strerror(error), "choose another place with -o");
    return 1;
  }
  Session session;
  if (int error = session.create()) {
    file.remove();
    complain(std::string("no place for the session: ") + strerror(error), "make room in /dev/shm, or set TMPDIR");
    return 1;
  }
  set_signals(true);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  raise_file_limit();
  Taking taking(session, file, options.wishes);
  Launch started = start(options, session);
  set_child(started.pid);
  // The program waits for each answer. Behind the start, since the program would inherit it; only root may.
  constexpr int first_served = -10;
  setpriority(PRIO_PROCESS, 0, first_served);
  for (int descriptor : files_of_program)
    close(descriptor); // who reads a pipe waits for the last one that could write to it
  if (started.error) {
    if (started.pid > 0) waitpid(started.pid, nullptr, 0);
    file.remove();
    return complain_about_start(options.command[0], started.error);
  }
  if (started.kept_randomised)
    say("address randomisation could not be switched off: two runs will differ in addresses");
  file.write_json(DPROF_HISTORIES_RUN, describe_run(options, trap_ns, options.randomised || started.kept_randomised));
  int status = taking.run(started.pid);
  if (status == -1) {
    file.remove();
    complain_about_registers(taking.refusal(), wanted, taking.available_registers());
    return 1;
  }
  if (!taking.program_came()) {
    file.remove();
    complain(std::string(options.command[0]) +
                 " is linked statically, or does not take preloaded libraries: its allocations can not be seen",
             "link it dynamically; set-user-ID programs must be run as their owner");
    return 1;
  }
  file.write_json(DPROF_HISTORIES_END, taking.counts(status));
  if (int error = file.finish()) {
    complain("cannot write " + options.output + ": " + strerror(error), "make room, or choose another place with -o");
    return 1;
  }
  std::string builds;
  for (const std::string &build : taking.other_builds()) builds += (builds.empty() ? "" : "; ") + build;
  if (taking.types() == 0 && !builds.empty()) {
    complain("the samples are of another build: " + builds, "take them again: dprof sample");
    return 1;
  }
  if (!builds.empty()) say("not watched, since the samples are of another build: " + builds);
  if (taking.types() == 0) {
    std::string others;
    for (const std::string &name : taking.other_types()) others += (others.empty() ? "" : ", ") + name;
    std::string wanted;
    for (const std::string &name : options.wishes.types) wanted += (wanted.empty() ? "" : ", ") + name;
    complain("no allocation of " + (wanted.empty() ? "a struct, union or class" : wanted) + " was seen",
             others.empty() ? "no allocation's type is known: build the program with -g, or with dprof-cc"
                            : "what it allocates: " + others);
    return 1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  if (!parse(count, arguments, &options)) return 2;
  return take(options);
}
