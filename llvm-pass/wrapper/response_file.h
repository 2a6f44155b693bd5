// Stage: compiler wrapper. Arguments with @files in them -> the arguments that clang sees.
#ifndef DPROF_WRAPPER_RESPONSE_FILE_H
#define DPROF_WRAPPER_RESPONSE_FILE_H

#include <string>
#include <string_view>
#include <vector>

namespace dprof {

// Words as GNU tools and clang read them: blanks separate, quotes of both kinds group, a backslash takes the next
// character as it is.
std::vector<std::string> tokenize(std::string_view text);

// An @file that can not be read stays as it is, as it does with clang; files name files in turn.
std::vector<std::string> expandResponseFiles(const std::vector<std::string> &arguments);

} // namespace dprof

#endif
