// Stage: runtime. Allocation and free, whoever calls them -> ALLOCATE after, FREE before.
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>

#include "first_allocations.h"
#include "interpose.h"
#include "mappings.h"
#include "memory.h"
#include "musl.h"
#include "real.h"
#include "rings.h"

namespace dprof {
namespace {

FirstAllocations first_allocations;

dprof_allocator family(dprof_allocator kind) {
  if (!(thread_log.flags & THREAD_IN_NEW)) return kind;
  thread_log.flags &= ~THREAD_IN_NEW;
  return DPROF_ALLOCATOR_NEW;
}

void *note(dprof_allocator kind, void *p, size_t size) {
  if (__builtin_expect(can_log(), 0)) {
    kind = family(kind);
    if (p) {
      ErrnoKept kept;
      log_allocate(kind, p, size);
    }
  }
  return p;
}

void note_free(dprof_allocator kind, const void *p, size_t size) {
  ErrnoKept kept;
  log_free(kind, p, size);
}

size_t page_bytes() {
  static size_t page = 0;
  if (!page) {
    Silenced silenced;
    page = (size_t)sysconf(_SC_PAGESIZE);
  }
  return page;
}
size_t whole_pages(size_t bytes) { return (bytes + page_bytes() - 1) & ~(page_bytes() - 1); }

size_t usable_size(void *p) {
  Silenced silenced;
  return malloc_usable_size(p);
}

#ifdef DPROF_MUSL
constexpr bool is_library_seen = true;
// The kernel may move a larger block, and its old place may be another thread's at once: so its FREE comes first.
constexpr size_t least_mapped = 128 << 10;

// musl's realloc allocates, copies and frees by the two functions below, so the copy is between two live objects.
// Whether it did:
__thread bool has_moved;

void *realloc_in_heap(void *p, size_t size) {
  has_moved = false;
  void *now = real().realloc(p, size);
  if (!now || has_moved) return now;
  note_free(DPROF_ALLOCATOR_REALLOC, p, 0);
  return note(DPROF_ALLOCATOR_REALLOC, now, size);
}
#else
constexpr bool is_library_seen = false;
#endif

} // namespace
} // namespace dprof

using namespace dprof;

DPROF_EXPORT void *malloc(size_t size) {
  const RealFunctions &next = real();
  if (__builtin_expect(!next.malloc, 0)) return first_allocations.allocate(size);
  return note(DPROF_ALLOCATOR_MALLOC, next.malloc(size), size);
}

DPROF_EXPORT void *calloc(size_t count, size_t size) {
  const RealFunctions &next = real();
  if (__builtin_expect(!next.calloc, 0)) return first_allocations.allocate(count * size);
  if (is_library_seen) return next.calloc(count, size);
  void *p = note(DPROF_ALLOCATOR_CALLOC, next.calloc(count, size), count * size);
  if (p && can_log()) log_unseen(DPROF_UNSEEN_CALLOC, count * size);
  return p;
}

DPROF_EXPORT void free(void *p) {
  if (__builtin_expect(first_allocations.holds(p), 0)) return;
  if (__builtin_expect(can_log(), 0) && p) {
    if (thread_log.announced == p)
      thread_log.announced = nullptr;
    else
      note_free(DPROF_ALLOCATOR_MALLOC, p, 0);
  }
  real().free(p);
}

DPROF_EXPORT void *realloc(void *p, size_t size) {
  const RealFunctions &next = real();
  if (__builtin_expect(first_allocations.holds(p), 0)) {
    void *moved = malloc(size);
    size_t available = first_allocations.bytes_behind(p);
    if (moved) copy_bytes(moved, p, size < available ? size : available);
    return moved;
  }
  if (__builtin_expect(!can_log(), 1)) return next.realloc(p, size);
  if (!p) return note(DPROF_ALLOCATOR_REALLOC, next.realloc(p, size), size);
  size_t old_size = usable_size(p);
#ifdef DPROF_MUSL
  if (old_size < least_mapped) return realloc_in_heap(p, size);
#endif
  note_free(DPROF_ALLOCATOR_REALLOC, p, 0);
  void *moved = next.realloc(p, size);
  if (!moved && size) { // nothing happened: the object lives on
    note(DPROF_ALLOCATOR_REALLOC, p, old_size);
    return moved;
  }
  note(DPROF_ALLOCATOR_REALLOC, moved, size);
  if (moved && moved != p && !is_library_seen) log_unseen(DPROF_UNSEEN_REALLOC, old_size < size ? old_size : size);
  return moved;
}

DPROF_EXPORT void *reallocarray(void *p, size_t count, size_t size) noexcept {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(p, bytes);
}

DPROF_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
  return note(DPROF_ALLOCATOR_ALIGNED, real().aligned_alloc(alignment, size), size);
}

DPROF_EXPORT void *memalign(size_t alignment, size_t size) {
  return note(DPROF_ALLOCATOR_ALIGNED, real().memalign(alignment, size), size);
}

DPROF_EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
  int error = real().posix_memalign(result, alignment, size);
  if (!error) note(DPROF_ALLOCATOR_ALIGNED, *result, size);
  return error;
}

DPROF_EXPORT void *valloc(size_t size) { return note(DPROF_ALLOCATOR_ALIGNED, real().valloc(size), size); }

DPROF_EXPORT void *pvalloc(size_t size) {
  return note(DPROF_ALLOCATOR_ALIGNED, real().pvalloc(size), whole_pages(size));
}

namespace {

// Logs the mapping before the ALLOCATE, whose address already lies in it.
void *note_map(void *at, size_t bytes, int flags) {
  if (at == MAP_FAILED) return at;
  if (__builtin_expect(can_log(), 0)) {
    ErrnoKept kept;
    if (flags & MAP_SHARED)
      note_shared_memory(at, whole_pages(bytes));
    else if (flags & MAP_FIXED)
      note_no_shared_memory(at, whole_pages(bytes));
  }
  return note(DPROF_ALLOCATOR_MMAP, at, whole_pages(bytes));
}

void note_unmap(const void *address, size_t bytes) {
  note_free(DPROF_ALLOCATOR_MMAP, address, bytes);
  note_no_shared_memory(address, bytes);
}

// Memory moved from `old` to `at`, or became shorter. With `old_bytes` 0 a shared mapping is there once more.
void note_remap(const void *old, size_t old_bytes, const void *at, size_t bytes) {
  if (!can_log() || !has_shared_memory()) return;
  ErrnoKept kept;
  if (at != old)
    note_no_shared_memory(old, old_bytes);
  else if (bytes < old_bytes)
    note_no_shared_memory((const char *)at + bytes, old_bytes - bytes);
  note_no_shared_memory(at, bytes);
  note_shared_memory(at, bytes);
}

} // namespace

DPROF_EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (is_of_another_process()) return real().mmap(address, bytes, protection, flags, fd, offset);
  return note_map(real().mmap(address, bytes, protection, flags, fd, offset), bytes, flags);
}

DPROF_EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  if (is_of_another_process()) return real().mmap64(address, bytes, protection, flags, fd, offset);
  return note_map(real().mmap64(address, bytes, protection, flags, fd, offset), bytes, flags);
}

DPROF_EXPORT int munmap(void *address, size_t bytes) {
  if (is_of_another_process()) return real().munmap(address, bytes);
  const bool is_noted = __builtin_expect(can_log(), 0);
  if (is_noted) note_unmap(address, whole_pages(bytes));
  if (__builtin_expect(has_rings, 0)) forget_rings(address, whole_pages(bytes));
  int result = real().munmap(address, bytes);
  if (is_noted && result != 0 && has_shared_memory()) { // it is still there
    ErrnoKept kept;
    note_shared_memory(address, whole_pages(bytes));
  }
  return result;
}

DPROF_EXPORT void *mremap(void *address, size_t old_bytes, size_t bytes, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void *target = flags & MREMAP_FIXED ? va_arg(rest, void *) : nullptr;
  va_end(rest);
  if (is_of_another_process()) return real().mremap(address, old_bytes, bytes, flags, target);
  if (__builtin_expect(can_log(), 0) && old_bytes) note_free(DPROF_ALLOCATOR_MMAP, address, whole_pages(old_bytes));
  void *at = real().mremap(address, old_bytes, bytes, flags, target);
  if (at == MAP_FAILED && can_log() && old_bytes) note(DPROF_ALLOCATOR_MMAP, address, whole_pages(old_bytes));
  if (at != MAP_FAILED) note_remap(address, whole_pages(old_bytes), at, whole_pages(bytes));
  return note_map(at, bytes, 0);
}

DPROF_EXPORT void *shmat(int segment, const void *address, int flags) noexcept {
  void *at = real().shmat(segment, address, flags);
  if (__builtin_expect(!can_log(), 1) || is_of_another_process() || at == (void *)-1) return at;
  ErrnoKept kept;
  size_t bytes = mapped_bytes_at(at);
  note_shared_memory(at, bytes);
  if (bytes) log_allocate(DPROF_ALLOCATOR_MMAP, at, bytes);
  return at;
}

DPROF_EXPORT int shmdt(const void *address) noexcept {
  if (is_of_another_process()) return real().shmdt(address);
  const bool is_noted = __builtin_expect(can_log(), 0);
  size_t bytes = 0;
  if (is_noted) {
    ErrnoKept kept;
    bytes = mapped_bytes_at(address);
    if (bytes) note_unmap(address, bytes);
  }
  int result = real().shmdt(address);
  if (is_noted && result != 0 && bytes) {
    ErrnoKept kept;
    note_shared_memory(address, bytes);
  }
  return result;
}

#ifdef DPROF_MUSL

// What musl allocates for itself, so that a program with a malloc of its own does not see it; and what its calloc and
// realloc call (runtime/musl/build.sh), for what calloc zeroes and realloc copies is already an object.
extern "C" {
void *__libc_malloc_impl(size_t);
void __real___libc_free(void *);
void *__real___libc_malloc(size_t);

void *__wrap___libc_malloc(size_t size) { return note(DPROF_ALLOCATOR_MALLOC, __real___libc_malloc(size), size); }
void __wrap___libc_free(void *p) {
  if (can_log() && p) note_free(DPROF_ALLOCATOR_MALLOC, p, 0);
  __real___libc_free(p);
}

void *__seen_zeroed_malloc(size_t size) { return note(DPROF_ALLOCATOR_CALLOC, real().malloc(size), size); }

void *__seen_moved_malloc(size_t size) { return note(DPROF_ALLOCATOR_REALLOC, __libc_malloc_impl(size), size); }
void __seen_moved_free(void *p) {
  if (can_log()) note_free(DPROF_ALLOCATOR_REALLOC, p, 0);
  has_moved = true;
  __real___libc_free(p);
}
}

#endif
