// Stage: sampler. The machine, in the words of a recording's head.
#pragma once

#include <string>

#include "../../records/ibs_op.h"

namespace dprof {

struct Processor {
  std::string hostname, kernel, architecture, cpu,
      cpu_id; // cpu_id as perf writes it: "AuthenticAMD,25,1,1", Arm's MIDR in hexadecimal
  AmdModel amd;
};

Processor describe_processor();

} // namespace dprof
