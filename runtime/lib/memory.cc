// Stage: runtime. mmap at a fixed far address region; plain byte and text helpers without libc.
#include "memory.h"

#include <errno.h>
#include <sys/mman.h>

#include "system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace dprof {

ErrnoKept::ErrnoKept() : value_(errno) {}
ErrnoKept::~ErrnoKept() { errno = value_; }

namespace {
constexpr uintptr_t far_away = 0x200000000000;
uintptr_t next_hint = far_away;
size_t mapped = 0;
} // namespace

void *map_far_away(size_t bytes, int fd) {
  size_t rounded = (bytes + 0xfffff) & ~(size_t)0xfffff;
  uintptr_t hint = fetch_add(&next_hint, (uintptr_t)(rounded + 0x100000));
  long flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE;
  long address = system_call(SYS_mmap, (long)hint, (long)bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (address < 0 && address > -4096) return nullptr;
  fetch_add(&mapped, bytes);
  system_call(SYS_madvise, address, (long)bytes, MADV_DONTDUMP);
  return (void *)address;
}

bool map_over(void *address, size_t bytes, int fd) {
  long flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE;
  long got = system_call(SYS_mmap, (long)address, (long)bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
  if (got != (long)address) return false;
  system_call(SYS_madvise, got, (long)bytes, MADV_DONTDUMP);
  return true;
}

void unmap(void *address, size_t bytes) {
  system_call(SYS_munmap, (long)address, (long)bytes);
  fetch_add(&mapped, -bytes);
}

size_t mapped_far_away() { return load(&mapped); }

bool populate(void *address, size_t bytes) {
  long result = system_call(SYS_madvise, (long)address, (long)bytes, MADV_POPULATE_WRITE);
  return result == 0 || result == -EINVAL; // EINVAL: a kernel before 5.14, which can not be asked
}

size_t text_length(const char *text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}

void copy_bytes(void *to, const void *from, size_t bytes) { __builtin_memcpy(to, from, bytes); }

size_t append_text(char *to, size_t capacity, size_t length, const char *text) {
  while (*text && length + 1 < capacity) to[length++] = *text++;
  to[length] = 0;
  return length;
}

size_t append_number(char *to, size_t capacity, size_t length, uint64_t number) {
  char digits[21];
  size_t at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  return append_text(to, capacity, length, digits + at);
}

} // namespace dprof
