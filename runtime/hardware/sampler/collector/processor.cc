// Stage: sampler. uname and /proc/cpuinfo.
#include "processor.h"

#include <stdlib.h>
#include <sys/utsname.h>

#include <fstream>
#include <map>

#include "pmu_folder.h"

namespace dprof {

Processor describe_processor() {
  Processor processor;
  utsname names;
  if (uname(&names) == 0) {
    processor.hostname = names.nodename;
    processor.kernel = names.release;
    processor.architecture = names.machine;
  }
  std::map<std::string, std::string> facts; // of the first processor
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t end = line.find_last_not_of(" \t", colon - 1), begin = line.find_first_not_of(" \t", colon + 1);
    facts[line.substr(0, end + 1)] = begin == std::string::npos ? "" : line.substr(begin);
  }
  processor.cpu = facts["model name"];
  processor.cpu_id = read_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  if (!facts["vendor_id"].empty())
    processor.cpu_id = facts["vendor_id"] + "," + facts["cpu family"] + "," + facts["model"] + "," + facts["stepping"];
  if (facts["vendor_id"] == "AuthenticAMD")
    processor.amd = {(unsigned)atoi(facts["cpu family"].c_str()), (unsigned)atoi(facts["model"].c_str())};
  return processor;
}

} // namespace dprof
