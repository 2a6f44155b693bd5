// Stage: program, preloaded. Interposes malloc and its family, operator new, and the plugin's notes of other
// allocators. An allocation is reported after the real call, a free before it.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "../../lib/first_allocations.h"
#include "../../lib/memory.h"
#include "../../lib/system.h"
#include "next.h"
#include "sink.h"

using namespace dprof;

namespace {

FirstAllocations first_allocations;

// The C++ library's own calls inside operator new and delete are not reported: the thread's next malloc, and the free
// of this pointer.
struct Operator {
  bool is_new;
  const void *deletes;
};
__thread Operator under_way __attribute__((tls_model("initial-exec"))) = {};

// `element_bytes`: as of `consider`.
inline void *given(void *p, size_t bytes, uintptr_t site, size_t element_bytes = 0, Memory memory = Memory::heap) {
  if (__builtin_expect(!listening, 1)) return p;
  if (under_way.is_new && memory == Memory::heap)
    under_way.is_new = false;
  else
    consider(p, bytes, element_bytes, site, memory);
  return p;
}
inline void taken(const void *p, uintptr_t site, Memory memory = Memory::heap) {
  if (__builtin_expect(!listening, 1)) return;
  if (p && under_way.deletes == p && memory == Memory::heap)
    under_way.deletes = nullptr;
  else
    consider_free(p, 0, site, memory);
}

} // namespace

DPROF_EXPORT void *malloc(size_t bytes) {
  FIND(malloc);
  if (__builtin_expect(!next, 0)) return first_allocations.allocate(bytes);
  return given(next(bytes), bytes, SITE);
}

DPROF_EXPORT void *calloc(size_t count, size_t bytes) {
  FIND(calloc);
  if (__builtin_expect(!next, 0)) return first_allocations.allocate(count * bytes);
  return given(next(count, bytes), count * bytes, SITE, bytes);
}

DPROF_EXPORT void free(void *p) {
  if (__builtin_expect(first_allocations.holds(p), 0)) return;
  FIND(free);
  if (!next) return;
  taken(p, SITE);
  next(p);
}

namespace {

// Reports the end of one object, and the begin of another; nobody sees the copy in between.
void *reallocate(void *p, size_t bytes, uintptr_t site, size_t element_bytes = 0) {
  FIND(realloc);
  if (first_allocations.holds(p) || !next) {
    void *moved = malloc(bytes);
    size_t available = first_allocations.bytes_behind(p);
    if (moved && p) copy_bytes(moved, p, bytes < available ? bytes : available);
    return moved;
  }
  taken(p, site);
  void *moved = next(p, bytes);
  if (__builtin_expect(listening, 0) && !moved && bytes && p) consider_kept(p);
  return given(moved, bytes, site, element_bytes);
}

} // namespace

DPROF_EXPORT void *realloc(void *p, size_t bytes) { return reallocate(p, bytes, SITE); }

DPROF_EXPORT void *reallocarray(void *p, size_t count, size_t bytes) noexcept {
  size_t product;
  if (__builtin_mul_overflow(count, bytes, &product)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(p, product, SITE, bytes);
}

#define ALIGNED(name)                                                                                                  \
  DPROF_EXPORT void *name(size_t alignment, size_t bytes) {                                                            \
    FIND(name);                                                                                                        \
    return given(next(alignment, bytes), bytes, SITE);                                                                 \
  }
ALIGNED(aligned_alloc)
ALIGNED(memalign)

#define PAGES(name)                                                                                                    \
  DPROF_EXPORT void *name(size_t bytes) {                                                                              \
    FIND(name);                                                                                                        \
    return given(next(bytes), bytes, SITE);                                                                            \
  }
PAGES(valloc)
PAGES(pvalloc)

DPROF_EXPORT int posix_memalign(void **result, size_t alignment, size_t bytes) {
  FIND(posix_memalign);
  int error = next(result, alignment, bytes);
  if (!error) given(*result, bytes, SITE);
  return error;
}

// Only C++ code comes here. The arguments that a variant does not have are in registers that it does not look at. A
// real one that throws has called malloc before.
namespace {
using New = void *(*)(size_t, size_t, const void *);
using Delete = void (*)(void *, size_t, size_t);
} // namespace

#define NEW(symbol)                                                                                                    \
  DPROF_EXPORT void *symbol(size_t bytes, size_t second, const void *third) {                                          \
    static New cache;                                                                                                  \
    New next = find(&cache, #symbol);                                                                                  \
    if (!next) __builtin_trap();                                                                                       \
    if (under_way.is_new) return next(bytes, second, third); /* operator new[] asks operator new */                    \
    under_way.is_new = listening;                                                                                      \
    void *p = next(bytes, second, third);                                                                              \
    under_way.is_new = false;                                                                                          \
    return given(p, bytes, SITE);                                                                                      \
  }
#define DELETE(symbol)                                                                                                 \
  DPROF_EXPORT void symbol(void *p, size_t second, size_t third) {                                                     \
    static Delete cache;                                                                                               \
    Delete next = find(&cache, #symbol);                                                                               \
    if (!next) __builtin_trap();                                                                                       \
    taken(p, SITE);                                                                                                    \
    if (listening) under_way.deletes = p;                                                                              \
    next(p, second, third);                                                                                            \
    under_way.deletes = nullptr;                                                                                       \
  }
NEW(_Znwm)
NEW(_Znam)
NEW(_ZnwmRKSt9nothrow_t)
NEW(_ZnamRKSt9nothrow_t)
NEW(_ZnwmSt11align_val_t)
NEW(_ZnamSt11align_val_t)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t)
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)

// The plugin's notes beside calls of described allocators (docs/allocators.md). Only instrumented programs make them,
// and their runtime has the real functions.
namespace {
template <typename Function, typename... Arguments>
auto pass_on(Function *cache, const char *name, Arguments... arguments) {
  Function next = find(cache, name);
  if (!next) __builtin_trap();
  return next(arguments...);
}
} // namespace

extern "C" {
void *__dprof_note_allocate(void *, uint64_t, uint64_t, const void *);
void *__dprof_note_reallocate(void *, uint64_t, uint64_t, const void *, const void *);
void *__dprof_note_out(void *const *, uint64_t, uint64_t, const void *, uint32_t, const void *);
void __dprof_note_free(const void *);
void __dprof_note_free_each(const void *const *, uint64_t);
void *__dprof_alloc(void *, size_t, const char *);
void __dprof_free(const void *);
}

DPROF_EXPORT void *__dprof_note_allocate(void *p, uint64_t bytes, uint64_t count, const void *pool) {
  static decltype(&__dprof_note_allocate) cache;
  return given(pass_on(&cache, __func__, p, bytes, count, pool), bytes * count, SITE, bytes, Memory::part);
}

DPROF_EXPORT void *__dprof_note_reallocate(void *p, uint64_t bytes, uint64_t count, const void *pool, const void *old) {
  static decltype(&__dprof_note_reallocate) cache;
  if (p || bytes * count == 0) taken(old, SITE, Memory::part);
  return given(pass_on(&cache, __func__, p, bytes, count, pool, old), bytes * count, SITE, bytes, Memory::part);
}

DPROF_EXPORT void *__dprof_note_out(void *const *out, uint64_t bytes, uint64_t count, const void *pool,
                                    uint32_t succeeded, const void *old) {
  static decltype(&__dprof_note_out) cache;
  if (succeeded && out && (*out || bytes * count == 0)) taken(old, SITE, Memory::part);
  return given(pass_on(&cache, __func__, out, bytes, count, pool, succeeded, old), bytes * count, SITE, bytes,
               Memory::part);
}

DPROF_EXPORT void __dprof_note_free(const void *p) {
  static decltype(&__dprof_note_free) cache;
  taken(p, SITE, Memory::part);
  pass_on(&cache, __func__, p);
}

DPROF_EXPORT void __dprof_note_free_each(const void *const *addresses, uint64_t count) {
  static decltype(&__dprof_note_free_each) cache;
  if (listening && addresses)
    for (uint64_t at = 0; at < count; at++) taken(addresses[at], SITE, Memory::part);
  pass_on(&cache, __func__, addresses, count);
}

DPROF_EXPORT void *__dprof_alloc(void *p, size_t bytes, const char *type) {
  static decltype(&__dprof_alloc) cache;
  return given(pass_on(&cache, __func__, p, bytes, type), bytes, SITE, 0, Memory::part);
}

DPROF_EXPORT void __dprof_free(const void *p) {
  static decltype(&__dprof_free) cache;
  taken(p, SITE, Memory::part);
  pass_on(&cache, __func__, p);
}
