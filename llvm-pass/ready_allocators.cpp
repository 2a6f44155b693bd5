// Stage: plugin. Descriptions of well-known allocators and locks, by name: --allocators=leveldb instead of a file.
// docs/allocators.md lists them.
#include "allocators.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dprof {

namespace {

constexpr StringLiteral LevelDb = R"(
- {function: "leveldb::Arena::{Allocate,AllocateAligned}", size: 1, pool: 0}
)";

// PyObject_Malloc calls the allocator through a pointer, but is itself called by name.
constexpr StringLiteral Pymalloc = R"(
- {function: "{PyObject,PyMem}_Malloc", size: 0}
- {function: "{PyObject,PyMem}_Calloc", count: 0, size: 1}
- {function: "{PyObject,PyMem}_Realloc", reallocates: 0, size: 1}
- {function: "{PyObject,PyMem}_Free", frees: 0}
)";

constexpr StringLiteral Palloc = R"(
- {function: "{palloc,palloc0,palloc_extended}", size: 0}
- {function: "MemoryContext{Alloc,AllocZero,AllocZeroAligned,AllocExtended,AllocHuge}", size: 1, pool: 0}
- {function: "{repalloc,repalloc_extended,repalloc_huge}", reallocates: 0, size: 1}
- {function: pfree, frees: 0}
- {function: "MemoryContext{Reset,ResetOnly,Delete}", frees-pool: 0}
- {function: "{ShmemAlloc,ShmemAllocNoError,ShmemAllocUnlocked}", size: 0}
- {function: ShmemInitStruct, size: 1}
)";

constexpr StringLiteral Apr = R"(
- {function: "{apr_palloc,apr_pcalloc,apr_palloc_debug,apr_pcalloc_debug}", size: 1, pool: 0}
- {function: "{apr_pool_clear,apr_pool_destroy,apr_pool_clear_debug,apr_pool_destroy_debug}", frees-pool: 0}
)";

// A chunk goes back with the block that malloc returned for it.
constexpr StringLiteral Talloc = R"(
- {function: "{talloc_named_const,_talloc_zero}", size: 1}
- {function: "{_talloc_array,_talloc_zero_array}", size: 1, count: 2}
- {function: _talloc_realloc, reallocates: 1, size: 2}
- {function: _talloc_realloc_array, reallocates: 1, size: 2, count: 3}
)";

// LWLockReleaseAll calls LWLockRelease. Spinlocks are released by a macro, which no description can name.
constexpr StringLiteral LwLock = R"(
- {function: LWLockAcquire, acquires: 0, lock: rwlock}
- {function: "{LWLockConditionalAcquire,LWLockAcquireOrWait}", acquires: 0, success: nonzero, lock: rwlock}
- {function: "{LWLockRelease,LWLockReleaseClearVar}", releases: 0, lock: rwlock}
)";

} // namespace

StringRef readyAllocators(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("leveldb", LevelDb)
      .Case("pymalloc", Pymalloc)
      .Case("palloc", Palloc)
      .Case("apr", Apr)
      .Case("talloc", Talloc)
      .Case("lwlock", LwLock)
      .Default("");
}

} // namespace dprof
