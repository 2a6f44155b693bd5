// Stage: all. The index of nothing.
#pragma once

#include <cstdint>

namespace dprof {

constexpr uint32_t NO_INDEX = 0xffffffff;

} // namespace dprof
