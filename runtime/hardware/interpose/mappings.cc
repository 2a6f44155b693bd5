// Stage: program, preloaded. Interposes the program's own calls that map and unmap memory. A mapping is reported after
// the real call, its end before it.
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "next.h"
#include "sink.h"

using namespace dprof;

namespace {

size_t whole_pages(size_t bytes) {
  static const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) & ~(page - 1);
}

void *kernel_result(long result) {
  if (result >= 0 || result < -4095) return (void *)result;
  errno = (int)-result;
  return MAP_FAILED;
}

Memory kind_of(int flags) { return flags & MAP_ANONYMOUS ? Memory::mapping : Memory::mapped_file; }

void *mapped(void *at, size_t bytes, uintptr_t site, Memory memory) {
  if (__builtin_expect(listening, 0) && at != MAP_FAILED) consider(at, whole_pages(bytes), 0, site, memory);
  return at;
}

void *map(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  FIND(mmap);
  if (__builtin_expect(listening, 0) && flags & MAP_FIXED && !(flags & (MAP_FIXED_NOREPLACE & ~MAP_FIXED)))
    consider_free(address, whole_pages(bytes), 0, Memory::mapping);
  return next ? next(address, bytes, protection, flags, file, offset)
              : kernel_result(system_call(SYS_mmap, (long)address, (long)bytes, protection, flags, file, offset));
}

} // namespace

DPROF_EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  return mapped(map(address, bytes, protection, flags, file, offset), bytes, SITE, kind_of(flags));
}
static_assert(sizeof(off_t) == sizeof(off64_t), "mmap64 is mmap");
DPROF_EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int file, off64_t offset) noexcept {
  return mapped(map(address, bytes, protection, flags, file, offset), bytes, SITE, kind_of(flags));
}

DPROF_EXPORT int munmap(void *address, size_t bytes) noexcept {
  FIND(munmap);
  if (__builtin_expect(listening, 0)) consider_free(address, whole_pages(bytes), SITE, Memory::mapping);
  return next ? next(address, bytes)
              : (int)(intptr_t)kernel_result(system_call(SYS_munmap, (long)address, (long)bytes));
}

DPROF_EXPORT void *mremap(void *address, size_t old_bytes, size_t bytes, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  void *target = flags & MREMAP_FIXED ? va_arg(rest, void *) : nullptr;
  va_end(rest);
  FIND(mremap);
  if (__builtin_expect(listening, 0)) {
    if (old_bytes) consider_free(address, whole_pages(old_bytes), SITE, Memory::mapping);
    if (target) consider_free(target, whole_pages(bytes), SITE, Memory::mapping);
  }
  void *at =
      next ? next(address, old_bytes, bytes, flags, target)
           : kernel_result(system_call(SYS_mremap, (long)address, (long)old_bytes, (long)bytes, flags, (long)target));
  if (at == MAP_FAILED && listening) consider_kept(address);
  return mapped(at, bytes, SITE, Memory::mapping);
}
