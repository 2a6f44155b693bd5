// Stage: sampler, for tests. What it would open on a drawn machine, and what it reads in constructed records, as JSON.
//
//   dprof-event-probe events DEVICES RELEASE [--most-precise N] [--no-weight-struct] [--no-tasks] [--wants-aux]
//   [--refuses ERRNO] [--event EVENT]... [--period N]
//     [--period-loads N] [--period-stores N] [--latency N] [--kernel]
//   dprof-event-probe records RING_BYTES AMD_FAMILY AMD_MODEL { IDENTIFIER FIELDS ORIGIN }... < records, through a ring
//   of that size dprof-event-probe spe MIDR < packets of one buffer
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>
#include <vector>

#include "../../../recorder/json.h"
#include "../collector/event_sources.h"
#include "../collector/ring.h"
#include "../collector/sample_decoder.h"

namespace {

using namespace dprof;

// A kernel and processor that are only drawn.
struct Drawn {
  unsigned most_precise = 3;
  bool has_weight_struct = true, has_tasks = true, wants_aux = false;
  int refuses = 0;

  int open(const EventSource &source) const {
    const perf_event_attr &attributes = source.attributes;
    if (refuses) return refuses;
    if (!has_tasks && !source.is_of_processors) return EINVAL;
    if (!has_weight_struct && (attributes.sample_type & PERF_SAMPLE_WEIGHT_STRUCT)) return EINVAL;
    if (attributes.precise_ip > most_precise) return EOPNOTSUPP;
    return wants_aux && !source.has_leader && source.name.find("mem-loads") != std::string::npos ? ENODATA : 0;
  }
};

Json describe(const perf_event_attr &attributes) {
  struct {
    const char *name;
    uint64_t bits;
  } fields[] = {{"identifier", PERF_SAMPLE_IDENTIFIER},
                {"ip", PERF_SAMPLE_IP},
                {"tid", PERF_SAMPLE_TID},
                {"time", PERF_SAMPLE_TIME},
                {"addr", PERF_SAMPLE_ADDR},
                {"cpu", PERF_SAMPLE_CPU},
                {"period", PERF_SAMPLE_PERIOD},
                {"raw", PERF_SAMPLE_RAW},
                {"weight", PERF_SAMPLE_WEIGHT},
                {"weight_struct", PERF_SAMPLE_WEIGHT_STRUCT},
                {"data_src", PERF_SAMPLE_DATA_SRC}};
  std::string said;
  uint64_t rest = attributes.sample_type;
  for (const auto &[name, bits] : fields) {
    if (rest & bits) said += std::string(said.empty() ? "" : " ") + name;
    rest &= ~bits;
  }
  if (rest) said += " and others";
  std::string flags;
  auto flag = [&](const char *name, bool is_set) {
    if (is_set) flags += std::string(flags.empty() ? "" : " ") + name;
  };
  flag("disabled", attributes.disabled);
  flag("enable_on_exec", attributes.enable_on_exec);
  flag("inherit", attributes.inherit);
  flag("sample_id_all", attributes.sample_id_all);
  flag("exclude_kernel", attributes.exclude_kernel);
  flag("exclude_hv", attributes.exclude_hv);
  flag("exclude_guest", attributes.exclude_guest);
  flag("use_clockid", attributes.use_clockid);
  flag("freq", attributes.freq);
  return {{"type", attributes.type},
          {"config", Json::hexadecimal(attributes.config)},
          {"config1", Json::hexadecimal(attributes.config1)},
          {"config2", Json::hexadecimal(attributes.config2)},
          {"bpType", attributes.type == PERF_TYPE_BREAKPOINT ? attributes.bp_type : 0},
          {"period", (uint64_t)attributes.sample_period},
          {"readFormat", (uint64_t)attributes.read_format},
          {"preciseIp", (unsigned)attributes.precise_ip},
          {"clock", attributes.clockid},
          {"fields", said},
          {"flags", flags}};
}

Json describe(const EventSource &source) {
  return {{"name", source.name},
          {"origin", spell(source.origin)},
          {"cpus", Json::list(source.cpus)},
          {"period", source.period},
          {"hasOnePeriod", source.has_one_period},
          {"isOfProcessors", source.is_of_processors},
          {"isKernelPassedOver", source.is_kernel_passed_over},
          {"attributes", describe(source.attributes)},
          {"leader", source.has_leader ? describe(source.leader) : Json()}};
}

void print(const Json &line) { puts(line.text().c_str()); }

int print_events(int count, char **words) {
  Drawn drawn;
  EventWishes wishes;
  for (int i = 2; i < count; i++) {
    const std::string word = words[i];
    auto value = [&] { return i + 1 < count ? words[++i] : ""; };
    auto number = [&] { return strtoull(value(), nullptr, 10); };
    if (word == "--most-precise")
      drawn.most_precise = (unsigned)number();
    else if (word == "--no-weight-struct")
      drawn.has_weight_struct = false;
    else if (word == "--no-tasks")
      drawn.has_tasks = false;
    else if (word == "--wants-aux")
      drawn.wants_aux = true;
    else if (word == "--refuses")
      drawn.refuses = (int)number();
    else if (word == "--event")
      wishes.events.push_back(value());
    else if (word == "--period")
      wishes.period = number();
    else if (word == "--period-loads")
      wishes.period_loads = number();
    else if (word == "--period-stores")
      wishes.period_stores = number();
    else if (word == "--latency")
      wishes.latency = number();
    else if (word == "--kernel")
      wishes.kernel = true;
    else
      return 2;
  }
  const EventChoice choice =
      choose_events(wishes, {words[0], words[1], [&](const EventSource &source) { return drawn.open(source); }});
  print({{"events", Json::list(choice.events, [](const EventSource &event) { return describe(event); })},
         {"line", choice.refusal.line},
         {"hint", choice.refusal.hint}});
  return 0;
}

struct Event {
  uint64_t fields;
  Origin origin;
};

void print_sample(uint64_t identifier, const Sample &is) {
  print({{"id", identifier},
         {"time", Json::decimal(is.time_ns)},
         {"ip", Json::decimal(is.ip)},
         {"address", Json::decimal(is.address)},
         {"physicalAddress", Json::decimal(is.physical_address)},
         {"dataPageSize", Json::decimal(is.data_page_bytes)},
         {"period", Json::decimal(is.period)},
         {"weight", Json::decimal(is.weight)},
         {"dataSource", Json::decimal(is.data_source)},
         {"pid", is.pid},
         {"tid", is.tid},
         {"cpu", is.cpu},
         {"misc", is.misc},
         {"instructionLatency", is.instruction_latency},
         {"retireLatency", is.retire_latency},
         {"sizeBytes", is.access_bytes}});
}

// The kernel's side of the ring: as many records as there is room for, then the sampler's side.
int print_records(int count, char **words) {
  const size_t ring_bytes = strtoull(words[0], nullptr, 10);
  const AmdModel cpu = {(unsigned)atoi(words[1]), (unsigned)atoi(words[2])};
  std::map<uint64_t, Event> events;
  for (int i = 3; i + 2 < count; i += 3) {
    const std::string origin = words[i + 2];
    events[strtoull(words[i], nullptr, 10)] = {strtoull(words[i + 1], nullptr, 10), origin == "pebs"  ? Origin::pebs
                                                                                    : origin == "ibs" ? Origin::ibs
                                                                                                      : Origin::other};
  }
  std::vector<uint8_t> records;
  uint8_t block[65536];
  while (size_t bytes = fread(block, 1, sizeof block, stdin)) records.insert(records.end(), block, block + bytes);
  std::vector<uint8_t> data(ring_bytes);
  perf_event_mmap_page page = {};
  page.data_head = page.data_tail = ring_bytes - 24; // soon round the end
  Ring ring(&page, data.data(), ring_bytes);
  for (size_t at = 0; at < records.size();) {
    perf_event_header header = {};
    if (records.size() - at >= sizeof header) memcpy(&header, &records[at], sizeof header);
    if (header.size < sizeof header || header.size > ring_bytes || header.size > records.size() - at) return 1;
    if (page.data_head - page.data_tail + header.size <= ring_bytes) {
      for (size_t i = 0; i < header.size; i++) data[(page.data_head + i) % ring_bytes] = records[at + i];
      page.data_head += header.size;
      at += header.size;
      if (at < records.size()) continue;
    }
    ring.read([&](const uint8_t *record, size_t bytes) {
      perf_event_header header;
      memcpy(&header, record, sizeof header);
      uint64_t identifier;
      Sample sample;
      if (header.type != PERF_RECORD_SAMPLE || !read_identifier(record, bytes, &identifier) ||
          !events.contains(identifier))
        return;
      if (decode_sample(record, bytes, events[identifier].fields, events[identifier].origin, cpu, &sample))
        print_sample(identifier, sample);
      else
        print({{"id", identifier}, {"short", true}});
    });
  }
  return 0;
}

} // namespace

int main(int count, char **words) {
  if (count >= 4 && strcmp(words[1], "events") == 0) return print_events(count - 2, words + 2);
  if (count >= 5 && strcmp(words[1], "records") == 0) return print_records(count - 2, words + 2);
  return 2;
}
