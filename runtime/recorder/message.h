// Stage: recorder. What the user is told, on stderr: one line, then a hint.
#pragma once

#include <string>

namespace dprof {

void say(const std::string &line);
void complain(const std::string &line, const std::string &hint);

} // namespace dprof
