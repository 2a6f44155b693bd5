// Stage: sampler. Terms of an event -> config, config1, config2, by the files of `format`: "config:0-7,21" says which
// bits a value is put into, lowest first.
#include "pmu_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace dprof {
namespace {

constexpr unsigned most_cpus = 65536;

std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, by);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

bool is_word(const std::string &text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
  }) && text[0] != '.';
}

__u64 *config_field(const std::string &name, perf_event_attr *attributes) {
  if (name == "config") return &attributes->config;
  if (name == "config1") return &attributes->config1;
  if (name == "config2") return &attributes->config2;
  return nullptr;
}

} // namespace

std::string read_line(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool parse_number(const std::string &text, uint64_t *value) {
  if (text.empty() || !isdigit((unsigned char)text[0])) return false;
  char *end;
  errno = 0;
  const bool is_hexadecimal = text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0;
  *value = strtoull(text.c_str(), &end, is_hexadecimal ? 16 : 10);
  return *end == 0 && errno == 0;
}

std::vector<unsigned> parse_cpu_list(const std::string &text) {
  std::vector<unsigned> cpus;
  for (const std::string &range : split(text, ',')) {
    const size_t dash = range.find('-');
    uint64_t first, last;
    if (!parse_number(range.substr(0, dash), &first)) return {};
    last = first;
    if (dash != std::string::npos && !parse_number(range.substr(dash + 1), &last)) return {};
    for (uint64_t cpu = first; cpu <= last && cpu < most_cpus; cpu++) cpus.push_back((unsigned)cpu);
  }
  return cpus;
}

std::vector<std::string> pmu_names(const std::string &devices, const std::string &begin) {
  std::vector<std::string> names;
  DIR *folder = opendir(devices.c_str());
  if (!folder) return names;
  while (const dirent *entry = readdir(folder))
    if (std::string(entry->d_name).rfind(begin, 0) == 0) names.push_back(entry->d_name);
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

PmuFolder::PmuFolder(const std::string &devices, const std::string &name) : folder_(devices + "/" + name), name_(name) {
  uint64_t type;
  exists_ = is_word(name) && parse_number(read_line(folder_ + "/type"), &type) && type <= UINT32_MAX;
  if (!exists_) return;
  type_ = (uint32_t)type;
  cpus_ = parse_cpu_list(read_line(folder_ + "/cpus"));
  if (cpus_.empty()) cpus_ = parse_cpu_list(read_line(folder_ + "/cpumask"));
}

bool PmuFolder::has_event(const std::string &event) const {
  return is_word(event) && !read_line(folder_ + "/events/" + event).empty();
}
bool PmuFolder::has_format(const std::string &term) const {
  return is_word(term) && !read_line(folder_ + "/format/" + term).empty();
}

std::string PmuFolder::configure(const std::string &terms, perf_event_attr *attributes, uint64_t *period) const {
  for (const std::string &term : split(terms, ','))
    if (std::string wrong = configure_one(term, true, attributes, period); !wrong.empty()) return wrong;
  return "";
}

std::string PmuFolder::configure_one(const std::string &term, bool may_be_event, perf_event_attr *attributes,
                                     uint64_t *period) const {
  const size_t equals = term.find('=');
  const std::string name = term.substr(0, equals);
  uint64_t value = 1;
  if (equals == std::string::npos) {
    if (may_be_event && has_event(name)) {
      for (const std::string &part : split(read_line(folder_ + "/events/" + name), ','))
        if (std::string wrong = configure_one(part, false, attributes, period); !wrong.empty()) return wrong;
      return "";
    }
  } else if (!parse_number(term.substr(equals + 1), &value)) {
    return "'" + term + "': not a number";
  }
  if (name == "period" && equals != std::string::npos) {
    *period = value;
    return "";
  }
  if (__u64 *field = config_field(name, attributes)) {
    *field = value;
    return "";
  }
  return set_bits(name, value, attributes);
}

std::string PmuFolder::set_bits(const std::string &term, uint64_t value, perf_event_attr *attributes) const {
  if (!has_format(term)) return "'" + term + "': " + name_ + " has neither an event nor a setting of this name";
  const std::string format = read_line(folder_ + "/format/" + term);
  const size_t colon = format.find(':');
  __u64 *field = config_field(format.substr(0, colon), attributes);
  const std::vector<unsigned> bits =
      colon == std::string::npos ? std::vector<unsigned>() : parse_cpu_list(format.substr(colon + 1));
  if (!field || bits.empty() || std::any_of(bits.begin(), bits.end(), [](unsigned bit) { return bit > 63; }))
    return "'" + term + "': its format, " + format + ", is not known";
  if (bits.size() < 64 && value >> bits.size() != 0)
    return "'" + term + "': the value takes more than its " + std::to_string(bits.size()) + " bits";
  for (size_t i = 0; i < bits.size(); i++) {
    *field &= ~(1ull << bits[i]);
    *field |= (value >> i & 1) << bits[i];
  }
  return "";
}

} // namespace dprof
