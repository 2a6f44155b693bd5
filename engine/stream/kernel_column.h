// Stage: replay -> stream.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dprof {

/// A column of a kernel: one that is packed, or one that rows have as it is.
struct KernelColumn {
  std::string name;
  std::optional<size_t> packed;
  std::optional<std::vector<std::string>> words; // none: numbers
};

} // namespace dprof
