// Stage: plugin, "decide". The parts of the program that the user wants recorded: functions, source files and types, by
// name or glob. docs/choosing.md explains them.
#ifndef DPROF_PASS_SELECTION_H
#define DPROF_PASS_SELECTION_H

#include "name_pattern.h"
#include "parallel_regions.h"
#include "segments.h"
#include "statistics.h"
#include "unit_writer.h"
#include "llvm/Support/SpecialCaseList.h"

namespace dprof {

class Selection {
public:
  // DPROF_ONLY and DPROF_SKIP: patterns, one a line, each of `fun:` (or nothing), `src:` or `type:`; DPROF_LIST: files,
  // one a line.
  explicit Selection(llvm::Module &M);

  bool isAll() const { return Only.empty() && Skip.empty() && !List; }
  // Takes the accesses that nobody wants out of a plan whose slots are described. Atomics stay: they order the threads.
  void apply(llvm::Function &F, FunctionPlan &Plan, const UnitWriter &Unit, Statistics &Counts);

private:
  struct Wish {
    std::string Kind; // "fun", "src", "type"
    NamePattern Pattern;
  };
  void read(const char *Variable, std::vector<Wish> &Into);
  bool isListed(llvm::StringRef Kind, llvm::ArrayRef<std::string> Names) const;
  static bool any(const std::vector<Wish> &Wishes, llvm::StringRef Kind, llvm::ArrayRef<std::string> Names);
  static bool has(const std::vector<Wish> &Wishes, llvm::StringRef Kind);
  // Whether accesses on the lines of this function are recorded.
  bool wantsLinesOf(const llvm::Function &F, const llvm::DISubprogram *Own);
  bool wantsType(llvm::StringRef Name) const;

  llvm::Module &M;
  ParallelRegions OpenMp;
  std::vector<Wish> Only, Skip;
  std::unique_ptr<llvm::SpecialCaseList> List;
  llvm::DenseMap<const void *, bool> Known; // by subprogram or function
};

} // namespace dprof

#endif
