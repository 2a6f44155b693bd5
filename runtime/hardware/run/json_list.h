// Stage: collectors. Lists and numbers of the JSON in a collector's file.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include <string>

namespace dprof {

inline std::string number(uint64_t value) { return std::to_string(value); }

// As a text, so that 64 bits stay exact.
inline std::string hexadecimal(uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "\"0x%llx\"", (unsigned long long)value);
  return digits;
}

template <typename List, typename Print> std::string json_list(const List &list, Print print) {
  std::string joined = "[";
  for (const auto &entry : list) joined += (joined.size() > 1 ? "," : "") + print(entry);
  return joined + "]";
}

} // namespace dprof
