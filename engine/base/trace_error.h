// Stage: replay. The errors that a trace's events may raise, thrown through the engine and turned into a JavaScript
// error by addon.cpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace dprof {

struct TraceError : std::runtime_error {
  TraceError(const std::string &what, uint64_t offset, std::string expected, std::string actual)
      : std::runtime_error(what), offset(offset), expected(std::move(expected)), actual(std::move(actual)) {}
  uint64_t offset; // in the file; for bytes of a column, of the chunk's payload
  std::string expected, actual;
};

/// The machine or the catalog asks for something the engine does not do, or that contradicts itself.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A live trace has no room for what must be kept.
struct RoomError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The trace file cannot be opened.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file of the replay's own cannot be written.
struct DiskError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Addresses and lengths lie below 2^53 in any program that ran; the results carry them as doubles.
constexpr uint64_t HIGHEST_END = uint64_t{1} << 53;
inline uint64_t checkedAddress(uint64_t word) {
  if (word < HIGHEST_END) return word;
  throw TraceError("address of an access, object or event", 0, "an end below 2^53", std::to_string(word));
}

} // namespace dprof
