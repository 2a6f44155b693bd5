// Stage: collector of histories. dprof-history -o FILE [options] -- PROGRAM ARGUMENTS: runs it, and watches objects of
// it. `dprof history` checks the options.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../recorder/child.h"
#include "../../../recorder/launch.h"
#include "../../../recorder/message.h"
#include "../../code/perf_refusal.h"
#include "../../run/options.h"
#include "../../run/start.h"
#include "taking.h"

namespace {

using namespace dprof;

constexpr char usage[] =
    "dprof-history -o FILE [--type NAME]... [--field PATH]... [--slots-of TYPE BYTES OFFSET,...]... [--cover "
    "single|pairwise] [--width N] [--registers N] [--seed N] [--one-in N] [--per-second N]"
    " [--most-elements N] [--longest MILLISECONDS] [--sets N] [--share-lines] [--trace FILE --recorder PROGRAM] "
    "[--aslr] --preload LIBRARY -- PROGRAM [ARGUMENTS]";

struct Options {
  RunOptions run;
  Wishes wishes;
};

ChosenSlots parse_slots(const char *bytes, const char *offsets) {
  ChosenSlots slots = {strtoull(bytes, nullptr, 10), {}};
  for (char *end = nullptr; *offsets; offsets = *end ? end + 1 : end)
    slots.offsets.push_back(strtoull(offsets, &end, 10));
  return slots;
}

bool parse(int count, char **arguments, Options *options) {
  Wishes &wishes = options->wishes;
  const std::vector<Option> own = {
      {"type", 1, [&](char **values) { wishes.types.push_back(values[0]); }},
      {"field", 1, [&](char **values) { wishes.plan.fields.push_back(values[0]); }},
      {"slots-of", 3, [&](char **values) { wishes.slots_of[values[0]] = parse_slots(values[1], values[2]); }},
      {"cover", 1,
       [&](char **values) {
         wishes.plan.cover = strcmp(values[0], "pairwise") == 0 ? Cover::pairwise : Cover::single;
       }},
      {"longest", 1, [&](char **values) { wishes.longest_ns = strtoull(values[0], nullptr, 10) * 1000000u; }},
      number("width", &wishes.plan.width),
      number("registers", &wishes.plan.registers),
      number("seed", &wishes.seed),
      number("one-in", &wishes.one_in),
      number("per-second", &wishes.per_second),
      number("most-elements", &wishes.most_elements),
      number("sets", &wishes.sets),
      flag("share-lines", &wishes.share_lines),
  };
  return parse_options(count, arguments, usage, own, &options->run);
}

// Reports the kernel's refusal, and the setting that would allow the registers.
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

Json describe_run(const Options &options, uint64_t trap_ns, bool randomised) {
  const Wishes &wishes = options.wishes;
  Json command = Json::list();
  for (char **word = options.run.command; *word; word++) command.append(*word);
  return {{"command", command},
          {"cover", wishes.plan.cover == Cover::pairwise ? "pairwise" : "single"},
          {"width", wishes.plan.width},
          {"registers", wishes.plan.registers},
          {"seed", wishes.seed},
          {"oneIn", wishes.one_in},
          {"perSecond", wishes.per_second},
          {"mostElements", wishes.most_elements},
          {"longestNs", wishes.longest_ns},
          {"sets", wishes.sets},
          {"shareLines", wishes.share_lines},
          {"randomised", randomised},
          {"trace", options.run.trace.empty() ? Json() : options.run.trace},
          {"trapNs", trap_ns},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)}};
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
  if (int error = file.create(options.run.output))
    return complain_of_file(options.run.output, error, "choose another place with -o");
  Session session;
  if (int error = session.create()) {
    file.remove();
    return complain_of_session(error);
  }
  prepare_to_start();
  Taking taking(session, file, options.wishes);
  session.control().is_traced = !options.run.trace.empty();
  const Launch started = start_program(options.run, "DPROF_HISTORIES", session.path());
  if (int failed = follow_start(started, options.run, files_of_program)) {
    file.remove();
    return failed;
  }
  file.write_json(DPROF_HISTORIES_RUN,
                  describe_run(options, trap_ns, options.run.randomised || started.kept_randomised));
  int status = taking.run(started.pid);
  if (status == -1) {
    file.remove();
    complain_about_registers(taking.refusal(), wanted, taking.available_registers());
    return 1;
  }
  if (!taking.program_came()) {
    file.remove();
    return complain_of_no_library(options.run);
  }
  file.write_json(DPROF_HISTORIES_END, taking.counts(status));
  if (int error = file.finish())
    return complain_of_file(options.run.output, error, "make room, or choose another place with -o");
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
  return exit_status_of(status);
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  if (!parse(count, arguments, &options)) return 2;
  return take(options);
}
