// Stage: recorder. Messages to the user, on stderr: one line, then a hint.
#pragma once

#include <string>

namespace dprof {

void say(const std::string &line);
void complain(const std::string &line, const std::string &hint);

} // namespace dprof
