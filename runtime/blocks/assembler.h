// Stage: blocks. Assembly -> bytes.
#pragma once

#include <string>

#include "hex.h"

namespace dprof {

struct Assembled {
  Bytes code;
  std::string problem; // the first one, with its line; empty: none
};

// Intel's syntax, or AT&T's. Comments and labels may stand in it; an operand that names a symbol may not.
Assembled assemble(const std::string &text, bool is_intel);

} // namespace dprof
