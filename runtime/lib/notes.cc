// Stage: runtime. The notes that the plugin and dprof.h make beside the program's own calls: parts that its allocators
// hand out and take back, locks that it acquires and releases.
#include <stddef.h>

#include "interpose.h"
#include "memory.h"

namespace dprof {
namespace {

void note_part(const void *address, uint64_t bytes, const void *pool) {
  if (!address || !can_log()) return;
  ErrnoKept kept;
  log_words<true>(DPROF_EVENT_ALLOCATE, DPROF_ALLOCATOR_PART, (uintptr_t)address, bytes, (uintptr_t)pool);
}

void note_end(dprof_allocator kind, const void *address) {
  if (!address || !can_log()) return;
  ErrnoKept kept;
  log_free(kind, address, 0);
}

} // namespace
} // namespace dprof

using namespace dprof;

DPROF_EXPORT void *__dprof_note_allocate(void *address, uint64_t size, uint64_t count, const void *pool) {
  note_part(address, size * count, pool);
  return address;
}

// The old part goes back when the new one is there: before that, nobody knows whether it will go back.
DPROF_EXPORT void *__dprof_note_reallocate(void *address, uint64_t size, uint64_t count, const void *pool,
                                           const void *old) {
  if (address || size * count == 0) note_end(DPROF_ALLOCATOR_PART, old);
  note_part(address, size * count, pool);
  return address;
}

DPROF_EXPORT void *__dprof_note_out(void *const *out, uint64_t size, uint64_t count, const void *pool,
                                    uint32_t succeeded, const void *old) {
  if (!succeeded || !out) return nullptr;
  return __dprof_note_reallocate(*out, size, count, pool, old);
}

DPROF_EXPORT void __dprof_note_free(const void *address) { note_end(DPROF_ALLOCATOR_PART, address); }
DPROF_EXPORT void __dprof_note_free_pool(const void *pool) { note_end(DPROF_ALLOCATOR_POOL, pool); }

// A described function is noted where it is called. If it was called by a pointer, or by code that was not compiled
// with dprof, it notes the call itself. It knows by what its caller said just before.
DPROF_EXPORT void __dprof_note_calling(const void *function) { thread_log.announced = function; }
DPROF_EXPORT uint32_t __dprof_note_called(const void *function) {
  bool is_noted = thread_log.announced == function;
  if (is_noted) thread_log.announced = nullptr;
  return is_noted;
}

// Locks of the program's own: the one after it was acquired, the other before it is released.
DPROF_EXPORT void __dprof_note_acquire(const volatile void *lock, uint32_t kind, uint32_t succeeded) {
  if (!succeeded || !lock || !can_log()) return;
  ErrnoKept kept;
  log_acquire((dprof_sync)kind, (uintptr_t)lock);
}
DPROF_EXPORT void __dprof_note_release(const volatile void *lock, uint32_t kind) {
  if (!lock || !can_log()) return;
  ErrnoKept kept;
  log_release((dprof_sync)kind, (uintptr_t)lock);
}

// dprof.h's. The name of the type is for the plugin.
DPROF_EXPORT void *__dprof_alloc(void *address, size_t size, const char *) {
  note_part(address, size, nullptr);
  return address;
}
DPROF_EXPORT void __dprof_free(const void *address) { note_end(DPROF_ALLOCATOR_PART, address); }
