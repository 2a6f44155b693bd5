// Stage: sampler. Times and 64-bit numbers are text in JSON: they stay exact.
#include "run_tables.h"

#include <time.h>

namespace dprof {
namespace {

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

Json describe_run(const Processor &processor, char **command) {
  Json words = Json::list();
  for (char **word = command; *word; word++) words.append(*word);
  return {{"origin", "dprof"},          {"hostname", processor.hostname},
          {"kernel", processor.kernel}, {"architecture", processor.architecture},
          {"cpu", processor.cpu},       {"cpuId", processor.cpu_id},
          {"perfVersion", ""},          {"command", words},
          {"clock", CLOCK_MONOTONIC},   {"isBigEndian", false}};
}

Json describe_events(const std::vector<EventSource> &sources, const std::vector<uint64_t> &samples) {
  size_t index = 0;
  return Json::list(sources, [&](const EventSource &source) -> Json {
    const perf_event_attr &attributes = source.attributes;
    Json fields = Json::list();
    for (const auto &[name, bit] : named_fields)
      if (fields_of(source) & bit) fields.append(name);
    return {{"name", source.name},
            {"source", spell(source.origin)},
            {"fields", fields},
            {"type", attributes.type},
            {"config", Json::hexadecimal(attributes.config)},
            {"address", Json::hexadecimal(attributes.config1)},
            {"length", Json::hexadecimal(attributes.config2)},
            {"period", Json::hexadecimal(source.period)},
            {"isFrequency", false},
            {"preciseIp", (unsigned)attributes.precise_ip},
            {"samples", index < samples.size() ? samples[index++] : 0}};
  });
}

Json describe_losses(const SampleLosses &losses) {
  return {{"records", losses.records},         {"samples", losses.samples},
          {"throttles", losses.throttles},     {"truncatedAux", losses.truncated_aux},
          {"outOfOrder", losses.out_of_order}, {"skipped", Json::object(losses.skipped)}};
}

Json describe_names(const ProcessEvents &processes) {
  return Json::list(processes.names(), [](const ProcessEvents::Name &name) -> Json {
    return {{"time", Json::decimal(name.time_ns)},
            {"pid", name.pid},
            {"tid", name.tid},
            {"name", name.name},
            {"isExec", name.is_exec}};
  });
}

Json describe_changes(const ProcessEvents &processes) {
  return Json::list(processes.changes(), [](const ProcessEvents::Change &change) -> Json {
    return {{"time", Json::decimal(change.time_ns)},
            {"kind", change.is_fork ? "fork" : "exit"},
            {"pid", change.pid},
            {"tid", change.tid},
            {"parentPid", change.parent_pid},
            {"parentTid", change.parent_tid}};
  });
}

} // namespace dprof
