// Stage: runtime. /proc/self/maps, read without the C library: the one place where anonymous memory has a name too, and
// where a name is the same in every process.
#include "mappings.h"

#include <fcntl.h>

#include "session.h"
#include "thread_log.h"

namespace dprof {
namespace {

uint32_t any_shared = 0;

struct Line {
  uint64_t begin, end, offset, device, inode;
  bool shared, sysv;
};

class MapsReader {
public:
  MapsReader() : fd_((int)system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (fd_ >= 0) system_call(SYS_close, fd_);
  }
  MapsReader(const MapsReader &) = delete;
  MapsReader &operator=(const MapsReader &) = delete;

  // begin-end rwxs offset major:minor inode   path
  bool next(Line *line) {
    int c = 0;
    line->begin = number(16, &c);
    if (c < 0) return false;
    line->end = number(16, &c);
    for (int i = 0; i < 4; i++) c = take();
    line->shared = c == 's';
    take();
    line->offset = number(16, &c);
    uint64_t major = number(16, &c);
    line->device = major << 32 | number(16, &c);
    line->inode = number(10, &c);
    while (c == ' ') c = take();
    const char *sysv = "/SYSV";
    for (; *sysv && c == *sysv; sysv++) c = take();
    line->sysv = !*sysv;
    while (c >= 0 && c != '\n') c = take();
    return c >= 0;
  }

private:
  int take() {
    if (at_ == filled_) {
      long got = fd_ < 0 ? 0 : system_call(SYS_read, fd_, (long)bytes_, sizeof bytes_);
      if (got <= 0) return -1;
      filled_ = (unsigned)got;
      at_ = 0;
    }
    return (unsigned char)bytes_[at_++];
  }
  // And the character behind it.
  uint64_t number(unsigned base, int *behind) {
    uint64_t value = 0;
    for (;;) {
      int c = *behind = take();
      unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                              : 16;
      if (digit >= base) return value;
      value = value * base + digit;
    }
  }

  int fd_;
  unsigned at_ = 0, filled_ = 0;
  char bytes_[512]; // stacks may be small
};

bool is_own(const Line &line) {
  auto holds = [&](const void *p) { return p && (uintptr_t)p >= line.begin && (uintptr_t)p < line.end; };
  return holds(session.process) || holds(session.control);
}

void log_mapping(dprof_mapping_kind kind, uint64_t address, uint64_t bytes, uint64_t device, uint64_t inode,
                 uint64_t offset) {
  log_words<true>(DPROF_EVENT_MAPPING, kind, address, bytes, device, inode, offset);
}

void note_shared(uint64_t begin, uint64_t end) {
  MapsReader maps;
  bool any = false;
  for (Line line; maps.next(&line);) {
    if (!line.shared || line.end <= begin || line.begin >= end || is_own(line)) continue;
    uint64_t from = line.begin > begin ? line.begin : begin, to = line.end < end ? line.end : end;
    store(&any_shared, 1u);
    any = true;
    log_mapping(line.sysv ? DPROF_MAPPING_SYSV : DPROF_MAPPING_FILE, from, to - from, line.device, line.inode,
                line.offset + (from - line.begin));
  }
  if (!any) return;
  log_time(); // what comes next comes behind a stamp of its thread that is behind the mappings'
}

} // namespace

void note_shared_memory(const void *address, size_t bytes) {
  note_shared((uintptr_t)address, (uintptr_t)address + bytes);
}

void note_no_shared_memory(const void *address, size_t bytes) {
  if (bytes && has_shared_memory()) log_mapping(DPROF_MAPPING_NONE, (uintptr_t)address, bytes, 0, 0, 0);
}

void note_inherited_memory() { note_shared(0, ~(uint64_t)0); }

size_t mapped_bytes_at(const void *address) {
  MapsReader maps;
  for (Line line; maps.next(&line);)
    if (line.begin == (uintptr_t)address) return line.end - line.begin;
  return 0;
}

bool has_shared_memory() { return load(&any_shared) != 0; }

} // namespace dprof
