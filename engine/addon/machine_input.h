// Stage: replay. A complete machine (src/contract/complete-machine.ts) as JavaScript hands it over, checked.
#pragma once

#include <napi.h>

#include "trace/input.h"

namespace dprof {

Machine readMachine(Napi::Object object);

} // namespace dprof
