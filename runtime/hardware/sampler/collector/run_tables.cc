// Stage: sampler. Times and 64-bit numbers are text in JSON: they stay exact.
#include "run_tables.h"

#include <stdio.h>
#include <time.h>

#include "../../../recorder/bytes.h"

#include "../../run/json_list.h"

namespace dprof {
namespace {

std::string text(uint64_t value) { return "\"" + number(value) + "\""; }

struct NamedField {
  const char *name;
  uint64_t bit;
};
constexpr NamedField named_fields[] = {{"ip", PERF_SAMPLE_IP},
                                       {"thread", PERF_SAMPLE_TID},
                                       {"time", PERF_SAMPLE_TIME},
                                       {"address", PERF_SAMPLE_ADDR},
                                       {"cpu", PERF_SAMPLE_CPU},
                                       {"period", PERF_SAMPLE_PERIOD},
                                       {"weight", PERF_SAMPLE_WEIGHT},
                                       {"weightStruct", PERF_SAMPLE_WEIGHT_STRUCT},
                                       {"dataSource", PERF_SAMPLE_DATA_SRC},
                                       {"physicalAddress", PERF_SAMPLE_PHYS_ADDR},
                                       {"dataPageSize", PERF_SAMPLE_DATA_PAGE_SIZE},
                                       {"raw", PERF_SAMPLE_RAW}};

// What is read from registers and packets counts as said.
uint64_t fields_of(const EventSource &source) {
  const uint64_t fields = source.attributes.sample_type;
  if (source.origin == Origin::spe)
    return fields | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
  if (source.origin != Origin::ibs || !(fields & PERF_SAMPLE_RAW)) return fields;
  return fields | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_SRC |
         (fields & PERF_SAMPLE_WEIGHT_TYPE ? 0 : (uint64_t)PERF_SAMPLE_WEIGHT_STRUCT);
}

} // namespace

std::string describe_run(const Processor &processor, char **command) {
  std::vector<std::string> words;
  for (char **word = command; *word; word++) words.push_back(*word);
  return "{\"origin\":\"dprof\",\"hostname\":" + json_string(processor.hostname) +
         ",\"kernel\":" + json_string(processor.kernel) + ",\"architecture\":" + json_string(processor.architecture) +
         ",\"cpu\":" + json_string(processor.cpu) + ",\"cpuId\":" + json_string(processor.cpu_id) +
         ",\"perfVersion\":\"\",\"command\":" + json_list(words, json_string) +
         ",\"clock\":" + number(CLOCK_MONOTONIC) + ",\"isBigEndian\":false}";
}

std::string describe_events(const std::vector<EventSource> &sources, const std::vector<uint64_t> &samples) {
  size_t index = 0;
  return json_list(sources, [&](const EventSource &source) {
    const perf_event_attr &attributes = source.attributes;
    std::string fields;
    for (const auto &[name, bit] : named_fields)
      if (fields_of(source) & bit) fields += std::string(fields.empty() ? "\"" : ",\"") + name + "\"";
    return "{\"name\":" + json_string(source.name) + ",\"source\":\"" + spell(source.origin) + "\",\"fields\":[" +
           fields + "],\"type\":" + number(attributes.type) + ",\"config\":" + hexadecimal(attributes.config) +
           ",\"address\":" + hexadecimal(attributes.config1) + ",\"length\":" + hexadecimal(attributes.config2) +
           ",\"period\":" + hexadecimal(source.period) +
           ",\"isFrequency\":false,\"preciseIp\":" + number(attributes.precise_ip) +
           ",\"samples\":" + number(index < samples.size() ? samples[index++] : 0) + "}";
  });
}

std::string describe_losses(const SampleLosses &losses) {
  std::string skipped;
  for (const auto &[reason, count] : losses.skipped)
    skipped += (skipped.empty() ? "" : ",") + json_string(reason) + ":" + number(count);
  return "{\"records\":" + number(losses.records) + ",\"samples\":" + number(losses.samples) +
         ",\"throttles\":" + number(losses.throttles) + ",\"truncatedAux\":" + number(losses.truncated_aux) +
         ",\"outOfOrder\":" + number(losses.out_of_order) + ",\"skipped\":{" + skipped + "}}";
}

std::string describe_names(const ProcessEvents &processes) {
  return json_list(processes.names(), [](const ProcessEvents::Name &name) {
    return "{\"time\":" + text(name.time_ns) + ",\"pid\":" + number(name.pid) + ",\"tid\":" + number(name.tid) +
           ",\"name\":" + json_string(name.name) + ",\"isExec\":" + (name.is_exec ? "true" : "false") + "}";
  });
}

std::string describe_changes(const ProcessEvents &processes) {
  return json_list(processes.changes(), [](const ProcessEvents::Change &change) {
    return "{\"time\":" + text(change.time_ns) + ",\"kind\":\"" + (change.is_fork ? "fork" : "exit") +
           "\",\"pid\":" + number(change.pid) + ",\"tid\":" + number(change.tid) +
           ",\"parentPid\":" + number(change.parent_pid) + ",\"parentTid\":" + number(change.parent_tid) + "}";
  });
}

} // namespace dprof
