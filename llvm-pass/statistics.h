// Stage: plugin. Counts of instrumented accesses, of those left out, and the reasons: `-fdprof-stats`.
#ifndef DPROF_PASS_STATISTICS_H
#define DPROF_PASS_STATISTICS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>

namespace dprof {

struct Statistics {
  uint64_t Functions = 0, Segments = 0, Accesses = 0, Sites = 0, Markers = 0, StackObjects = 0, Globals = 0;
  uint64_t Regions = 0, Paths = 0, Loops = 0, Words = 0, DerivedWords = 0;
  std::map<std::string, uint64_t, std::less<>> Described; // accesses by how much is known
  std::map<llvm::StringRef, uint64_t> Skipped;            // accesses and sites, by reason; the unit says them too
  std::map<llvm::StringRef, uint64_t> SkippedFunctions, SkippedGlobals; // by reason
  std::map<llvm::StringRef, uint64_t> AlwaysOn;                         // functions without a dormant body, by reason

  // Prints on stderr, if DPROF_STATS is set.
  void print(llvm::StringRef Source) const;
};

} // namespace dprof

#endif
