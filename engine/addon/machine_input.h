// Stage: replay. The machine as JavaScript describes it (src/replay/machine.ts), checked.
#pragma once

#include <napi.h>

#include "trace/input.h"

namespace dprof {

Machine readMachine(Napi::Object object);

} // namespace dprof
