// Stage: plugin. Finds calls that give out memory or take it back, and the types that the program declares for it.
#ifndef DPROF_PASS_ALLOCATION_SITE_H
#define DPROF_PASS_ALLOCATION_SITE_H

#include "place.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace dprof {

struct AllocationCall {
  enum Role { Allocate, Free } Role = Allocate;
  int OutArgument = -1;     // posix_memalign: the address is stored there when the call succeeds; else it is returned
  int SizeArgument = -1;    // -1: not in the arguments
  int CountArgument = -1;   // to be multiplied with the size
  int PointerArgument = -1; // frees
  bool SucceedsUnlessNegative = false; // of calls with an out argument; others return 0
  bool IsNew = false;
  bool IsArrayNew = false;
};

// One of the functions that are known without a description: malloc, operator new and their like.
bool isAllocationName(const llvm::Function &F);
std::optional<AllocationCall> asAllocationCall(const llvm::CallBase &Call);
// True for a call that the plugin or dprof.h put there for the runtime alone.
bool isNote(const llvm::Instruction &I);

// The type of the allocated memory: the type of `new`; in C the type to which the receiving pointer points, if the size
// agrees.
llvm::DIType *declaredType(llvm::CallBase &Call, const DebugTypes &Types, PlaceFinder &Places);
// The same for a call that `Site` describes. If no argument has the size, the size is `Bytes`; 0: unknown.
llvm::DIType *declaredType(llvm::CallBase &Call, const AllocationCall &Site, const DebugTypes &Types,
                           PlaceFinder &Places, uint64_t Bytes = 0);

// Bytes that a `new T[n]` keeps in front of its elements, if the code around it shows them.
uint64_t arrayCookieBytes(const llvm::CallBase &Call);

} // namespace dprof

#endif
