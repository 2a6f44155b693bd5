// Stage: runtime. Makes limits that our mappings count against apply to the program alone: a limit that it sets is
// raised by our share, a limit that it asks for is lowered by that, and only its own pages are locked into memory.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "interpose.h"
#include "limits.h"
#include "memory.h"
#include "session.h"
#include "system.h"

namespace dprof {
namespace {

// The amount by which the kernel's limit for the address space is above the program's own.
struct Added {
  uint64_t soft, hard;
};
Added added = {};

constexpr uint64_t small_change = 4u << 20; // further mappings of the runtime: tables of threads and modules

uint64_t below(uint64_t limit, uint64_t bytes) {
  return limit == RLIM_INFINITY || limit < bytes ? limit : limit - bytes;
}
uint64_t above(uint64_t limit, uint64_t bytes) {
  return limit == RLIM_INFINITY || limit + bytes < limit ? RLIM_INFINITY : limit + bytes;
}

uint64_t used_address_space() {
  int fd = (int)system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  char text[64];
  long n = system_call(SYS_read, fd, (long)text, sizeof text - 1);
  system_call(SYS_close, fd);
  uint64_t pages = 0;
  for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++) pages = pages * 10 + (uint64_t)(text[i] - '0');
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool is_own_address_space(pid_t pid, int resource) {
  return recording && resource == RLIMIT_AS && (pid == 0 || (uint32_t)pid == session.process->pid);
}

// As prlimit, for the program's own address space; minus an errno.
long change_address_space(const rlimit *wanted, rlimit *old) {
  rlimit before = {};
  long result = system_call(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&before);
  Added now = added;
  if (result == 0 && wanted) {
    uint64_t ours = mapped_far_away();
    rlimit real = {above(wanted->rlim_cur, ours), above(wanted->rlim_max, ours)};
    result = system_call(SYS_prlimit64, 0, RLIMIT_AS, (long)&real, 0);
    if (result == -EPERM &&
        wanted->rlim_max <= below(before.rlim_max, now.hard)) { // it may lower it, or leave it: as far as we may go
      real.rlim_max = before.rlim_max;
      if (real.rlim_cur > real.rlim_max) real.rlim_cur = real.rlim_max;
      result = system_call(SYS_prlimit64, 0, RLIMIT_AS, (long)&real, 0);
    }
    if (result == 0) added = {real.rlim_cur - wanted->rlim_cur, real.rlim_max - wanted->rlim_max};
  }
  if (result == 0 && old) *old = {below(before.rlim_cur, now.soft), below(before.rlim_max, now.hard)};
  return result;
}

int answer(long result) {
  if (result >= 0) return (int)result;
  errno = (int)-result;
  return -1;
}

int limit_of(pid_t pid, int resource, const rlimit *wanted, rlimit *old) {
  if (is_own_address_space(pid, resource)) return answer(change_address_space(wanted, old));
  return answer(system_call(SYS_prlimit64, pid, resource, (long)wanted, (long)old));
}

// Does what the kernel does, except for our own pages: otherwise the whole session would come into memory.
struct Mapping {
  uintptr_t begin, end;
};

bool read_hexadecimal(const char **at, const char *end, uintptr_t *number) {
  const char *first = *at;
  for (*number = 0; *at < end; ++*at) {
    char c = **at;
    if (c >= '0' && c <= '9')
      *number = *number << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      *number = *number << 4 | (uintptr_t)(c - 'a' + 10);
    else
      break;
  }
  return *at > first;
}

template <typename Visit> bool for_each_mapping(Visit visit) {
  int fd = (int)system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  char text[1024];
  bool line_begins = true;
  size_t kept = 0;
  for (;;) {
    long n = system_call(SYS_read, fd, (long)(text + kept), (long)(sizeof text - kept));
    if (n <= 0) break;
    const char *at = text, *end = text + kept + n;
    kept = 0;
    while (at < end) {
      if (line_begins) {
        const char *first = at;
        Mapping mapping;
        if (end - at < 40 && end == text + sizeof text) { // the rest of it comes with the next read
          while (at < end) text[kept++] = *at++;
          break;
        }
        if (read_hexadecimal(&at, end, &mapping.begin) && at < end && *at++ == '-' &&
            read_hexadecimal(&at, end, &mapping.end))
          visit(mapping);
        if (at == first) break;
        line_begins = false;
      }
      while (at < end && *at != '\n') at++;
      if (at < end) {
        at++;
        line_begins = true;
      }
    }
  }
  system_call(SYS_close, fd);
  return true;
}

long lock_all_of_the_program(int flags) {
  long result = system_call(SYS_mlockall, MCL_CURRENT | MCL_ONFAULT);
  if (result < 0) return result;
  uintptr_t ours = (uintptr_t)session.process, ours_end = ours + session.mapped_bytes;
  system_call(SYS_munlock, (long)ours, (long)session.mapped_bytes);
  if (!(flags & MCL_ONFAULT))
    for_each_mapping([&](Mapping mapping) {
      if (mapping.begin < ours_end && ours < mapping.end) return;
      system_call(SYS_mlock, (long)mapping.begin, (long)(mapping.end - mapping.begin));
    });
  return flags & MCL_FUTURE ? system_call(SYS_mlockall, flags & ~MCL_CURRENT) : 0;
}

} // namespace

uint64_t resource_limit(int resource) {
  rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  system_call(SYS_prlimit64, 0, resource, 0, (long)&limit);
  return limit.rlim_cur;
}

bool make_room_in_address_space(size_t bytes) {
  rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  system_call(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit);
  if (limit.rlim_cur == RLIM_INFINITY) return true;
  uint64_t more = bytes + small_change;
  rlimit raised = {above(limit.rlim_cur, more),
                   limit.rlim_max < above(limit.rlim_cur, more) ? above(limit.rlim_max, more) : limit.rlim_max};
  if (system_call(SYS_prlimit64, 0, RLIMIT_AS, (long)&raised, 0) == 0) {
    added = {raised.rlim_cur - limit.rlim_cur, raised.rlim_max - limit.rlim_max};
    return true;
  }
  uint64_t used = used_address_space();
  return used < limit.rlim_cur && more <= (limit.rlim_cur - used) / 16;
}

} // namespace dprof

using namespace dprof;

static_assert(sizeof(rlimit) == sizeof(rlimit64), "one kind of limit");

DPROF_EXPORT int getrlimit(__rlimit_resource_t resource, rlimit *limit) noexcept {
  return limit_of(0, (int)resource, nullptr, limit);
}
DPROF_EXPORT int getrlimit64(__rlimit_resource_t resource, rlimit64 *limit) noexcept {
  return limit_of(0, (int)resource, nullptr, (rlimit *)limit);
}
DPROF_EXPORT int setrlimit(__rlimit_resource_t resource, const rlimit *limit) noexcept {
  return limit_of(0, (int)resource, limit, nullptr);
}
DPROF_EXPORT int setrlimit64(__rlimit_resource_t resource, const rlimit64 *limit) noexcept {
  return limit_of(0, (int)resource, (const rlimit *)limit, nullptr);
}
DPROF_EXPORT int prlimit(pid_t pid, __rlimit_resource resource, const rlimit *limit, rlimit *old) noexcept {
  return limit_of(pid, (int)resource, limit, old);
}
DPROF_EXPORT int prlimit64(pid_t pid, __rlimit_resource resource, const rlimit64 *limit, rlimit64 *old) noexcept {
  return limit_of(pid, (int)resource, (const rlimit *)limit, (rlimit *)old);
}

DPROF_EXPORT int mlockall(int flags) noexcept {
  bool everything = recording && flags & MCL_CURRENT && !(flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT));
  return answer(everything ? lock_all_of_the_program(flags) : system_call(SYS_mlockall, flags));
}
