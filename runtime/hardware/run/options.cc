// Stage: collectors.
#include "options.h"

#include <getopt.h>
#include <stdlib.h>

#include "../../recorder/message.h"

namespace dprof {
namespace {

bool refuse(const char *what, const char *usage) {
  complain(std::string("unknown option, or option without a value: ") + what, usage);
  return false;
}

} // namespace

Option flag(const char *name, bool *to) {
  return {name, 0, [to](char **) { *to = true; }};
}

Option text(const char *name, std::string *to) {
  return {name, 1, [to](char **values) { *to = values[0]; }};
}

Option number(const char *name, uint64_t *to) {
  return {name, 1, [to](char **values) { *to = strtoull(values[0], nullptr, 10); }};
}

Option number(const char *name, uint32_t *to) {
  return {name, 1, [to](char **values) { *to = (uint32_t)strtoull(values[0], nullptr, 10); }};
}

bool parse_options(int count, char **arguments, const char *usage, const std::vector<Option> &own, RunOptions *run,
                   const std::function<bool()> &needs_program) {
  std::vector<Option> table = {text("preload", &run->preload), text("trace", &run->trace),
                               text("recorder", &run->recorder), flag("aslr", &run->randomised)};
  table.insert(table.end(), own.begin(), own.end());
  std::vector<option> names;
  for (const Option &entry : table)
    names.push_back({entry.name, entry.values ? required_argument : no_argument, nullptr, 0});
  names.push_back({});
  opterr = 0;
  int at = 0, found;
  // `+`: the first argument that is no option ends them, because the program has options of its own.
  while ((found = getopt_long(count, arguments, "+o:", names.data(), &at)) != -1) {
    if (found == 'o') {
      run->output = optarg;
      continue;
    }
    if (found != 0) return refuse(arguments[optind - 1], usage);
    const Option &entry = table[(size_t)at];
    std::vector<char *> values;
    if (entry.values) values.push_back(optarg);
    while (values.size() < entry.values) {
      if (optind >= count) return refuse(entry.name, usage);
      values.push_back(arguments[optind++]);
    }
    entry.take(values.data());
  }
  run->command = arguments + optind;
  if (!needs_program() || (optind < count && !run->output.empty() && !run->preload.empty())) return true;
  complain("no program to run, no -o, or no --preload", usage);
  return false;
}

} // namespace dprof
