// Stage: tests of the sampler. One event, no losses.
#include "facts.h"

#include <unistd.h>

namespace dprof {

SampleFacts plain_facts(uint64_t samples) {
  SampleFacts facts;
  facts.run = {{"origin", "dprof"}, {"hostname", ""},      {"kernel", ""},      {"architecture", ""},
               {"cpu", ""},         {"cpuId", ""},         {"perfVersion", ""}, {"command", Json::list()},
               {"clock", 1},        {"isBigEndian", false}};
  const char *const fields[] = {"ip", "thread", "time", "address", "cpu", "dataSource"};
  facts.events = Json::list();
  facts.events.append({{"name", "probe"},
                       {"source", "other"},
                       {"fields", Json::list(fields)},
                       {"type", 1},
                       {"config", "0"},
                       {"address", "0"},
                       {"length", "0"},
                       {"period", "1"},
                       {"isFrequency", false},
                       {"preciseIp", 0},
                       {"samples", samples}});
  facts.lost = {{"records", 0},      {"samples", 0},    {"throttles", 0},
                {"truncatedAux", 0}, {"outOfOrder", 0}, {"skipped", Json::object()}};
  facts.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
  facts.ended = "exit 0";
  return facts;
}

} // namespace dprof
