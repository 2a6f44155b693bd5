// Stage: recorder. An ELF file -> its build id.
#pragma once

#include <string>

namespace dprof {

// Hexadecimal; empty if it has none, or can not be read.
std::string build_id_of(const std::string &path);

} // namespace dprof
