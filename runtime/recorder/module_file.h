// Stage: recorder. The bytes of a p.<image>.m<n> file of the session (session.h).
#pragma once

#include <string>

#include "bytes.h"

namespace dprof {

// Reads as many bytes as the header says; a file that was made large beforehand is longer. The result is empty or short
// if no runtime wrote the file.
Bytes read_module_file(const std::string &path);

} // namespace dprof
