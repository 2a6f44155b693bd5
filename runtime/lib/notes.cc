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

// A part whose type was found by its name is announced to the caller, by an address that no function has.
const void *as_named(const void *address) { return (const char *)address + 1; }

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
DPROF_EXPORT void __dprof_note_free_each(const void *const *addresses, uint64_t count) {
  if (!addresses || !can_log()) return;
  for (uint64_t at = 0; at < count; at++) note_end(DPROF_ALLOCATOR_PART, addresses[at]);
}
DPROF_EXPORT void __dprof_note_free_pool(const void *pool) { note_end(DPROF_ALLOCATOR_POOL, pool); }

// A field of a struct that the program has just used; of 0 bytes its address.
DPROF_EXPORT uint64_t __dprof_note_field(uint32_t succeeded, const void *of, uint64_t offset, uint32_t bytes) {
  if (!succeeded || !of || !can_log()) return 0;
  const char *field = (const char *)of + offset;
  uint64_t value = 0;
  switch (bytes) {
    case 0: return (uintptr_t)field;
    case 1: return *(const uint8_t *)field;
    case 2: return *(const uint16_t *)field;
    case 4: return *(const uint32_t *)field;
    default: __builtin_memcpy(&value, field, bytes < sizeof value ? bytes : sizeof value); return value;
  }
}

// `names` stand one after the other, each with a zero behind it; an empty one is the end. 0: it is none of them.
DPROF_EXPORT uint32_t __dprof_note_named(const void *address, const char *name, const char *names) {
  if (!can_log()) return 0;
  uint32_t found = 0;
  for (uint32_t number = 1; name && *names && !found; number++) {
    const char *own = name;
    while (*names && *names == *own) names++, own++;
    if (!*names && !*own) found = number;
    while (*names) names++;
    names++;
  }
  if (address) thread_log.announced = found ? as_named(address) : nullptr;
  return found;
}

// The i-th element of the table stands for the i-th unit of the memory. Both variables have an address. Null: it is no
// element.
DPROF_EXPORT const void *__dprof_note_unit(const void *element, const uintptr_t *table, uint64_t element_bytes,
                                           const uintptr_t *memory, uint64_t unit) {
  if (!element || !can_log() || (uintptr_t)element < *table) return nullptr;
  return (const void *)(*memory + ((uintptr_t)element - *table) / element_bytes * unit);
}

// Beside a call whose part the function itself noted: the address, if the record that follows is to describe it.
DPROF_EXPORT const void *__dprof_note_received(const void *address, uint32_t of) {
  bool is_named = address && thread_log.announced == as_named(address);
  return of == DPROF_RECEIVED_ANY || is_named == (of == DPROF_RECEIVED_NAMED) ? address : nullptr;
}

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
