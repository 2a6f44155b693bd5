// Stage: recorder. The bytes of a p.<image>.m<n> file of the session (session.h).
#pragma once

#include <string>

#include "bytes.h"

namespace dprof {

// As long as its header says; a file that was made large beforehand is longer. Empty or short where it is not what a
// runtime wrote.
Bytes read_module_file(const std::string &path);

} // namespace dprof
