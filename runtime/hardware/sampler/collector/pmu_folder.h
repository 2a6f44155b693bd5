// Stage: sampler. A PMU as /sys/bus/event_source/devices describes it: its number, the events it names, and the meaning
// of the bits of its configuration.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

#include <string>
#include <vector>

namespace dprof {

class PmuFolder {
public:
  // `devices` is the folder of all PMUs. Not there: `exists` is false.
  PmuFolder(const std::string &devices, const std::string &name);

  bool exists() const { return exists_; }
  const std::string &name() const { return name_; }
  uint32_t type() const { return type_; }
  // The processors on which it counts; empty: all.
  const std::vector<unsigned> &cpus() const { return cpus_; }
  bool has_event(const std::string &event) const;
  bool has_format(const std::string &term) const;

  // `terms` as perf spells them (`event=0xcd,umask=1,ldlat=30`, `mem-loads,ldlat=30`, `config1=3`), in order; of two
  // values for the same term the later one counts. Returns an empty text, or the mistake. `period` is that of
  // `period=N`.
  std::string configure(const std::string &terms, perf_event_attr *attributes, uint64_t *period) const;

private:
  std::string configure_one(const std::string &term, bool may_be_event, perf_event_attr *attributes,
                            uint64_t *period) const;
  std::string set_bits(const std::string &term, uint64_t value, perf_event_attr *attributes) const;

  std::string folder_, name_;
  bool exists_ = false;
  uint32_t type_ = 0;
  std::vector<unsigned> cpus_;
};

// The PMUs whose names begin so, in order.
std::vector<std::string> pmu_names(const std::string &devices, const std::string &begin);
// A file's first line; empty if there is none.
std::string read_line(const std::string &path);
// "0-3,8" as the kernel writes lists of processors.
std::vector<unsigned> parse_cpu_list(const std::string &text);
// Reads a whole number, decimal or with 0x; false: it is no number.
bool parse_number(const std::string &text, uint64_t *value);

} // namespace dprof
