// Stage: recorder. An ELF file -> its build id.
#pragma once

#include <string>

namespace dprof {

// The build id in hexadecimal; empty if the file has none, or can not be read.
std::string build_id_of(const std::string &path);

} // namespace dprof
