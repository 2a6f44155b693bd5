// Stage: plugin. Counts of instrumented accesses, of those left out, and the reasons: `-fdprof-stats`.
#include "statistics.h"

#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <string_view>

using namespace llvm;

namespace dprof {

void Statistics::print(StringRef Source) const {
  const char *Wanted = std::getenv("DPROF_STATS");
  if (!Wanted || std::string_view(Wanted) != "1") return;
  std::string Text; // one write, so that parallel builds do not mix their lines
  raw_string_ostream Out(Text);
  Out << "dprof: " << Source << ": " << Functions << " functions, " << Segments << " segments, " << Accesses
      << " accesses, " << Sites << " allocation sites, " << Markers << " markers, " << StackObjects
      << " stack objects, " << Globals << " globals\n";
  Out << "dprof: " << Source << ": " << Regions << " regions, " << Paths << " paths, " << Loops
      << " loops recorded once, " << Words - DerivedWords << " words logged of " << Words << "\n";
  for (const auto &[Kind, Count] : Described)
    Out << "dprof: " << Source << ": described: " << Kind << ": " << Count << " of " << Accesses << "\n";
  for (const auto &[Reason, Count] : AlwaysOn)
    Out << "dprof: " << Source << ": functions always instrumented: " << Reason << ": " << Count << "\n";
  for (const auto *Left : {&SkippedFunctions, &SkippedGlobals, &Skipped})
    for (const auto &[Reason, Count] : *Left)
      Out << "dprof: " << Source << ": skipped: " << Reason << ": " << Count << "\n";
  errs() << Text;
}

} // namespace dprof
