// Stage: runtime. A session directory -> this process's shared file in it.
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>

#include "memory.h"
#include "modules.h"
#include "thread_log.h"

namespace dprof {

Session session = {};

namespace {

constexpr size_t page = 65536; // the largest page size of the architectures we know
size_t round_up(size_t n) { return (n + page - 1) & ~(page - 1); }

int open_path(const char *path, int flags) { return (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600); }
void close_file(int fd) { system_call(SYS_close, fd); }

size_t image_path(char *to, size_t capacity, uint32_t image) {
  size_t n = append_text(to, capacity, 0, session.directory);
  n = append_text(to, capacity, n, "/p.");
  return append_number(to, capacity, n, image);
}

uint32_t read_whole(const char *path, char *to, size_t capacity) {
  int fd = open_path(path, O_RDONLY);
  if (fd < 0) return 0;
  size_t length = 0;
  while (length < capacity) {
    long got = system_call(SYS_read, fd, (long)(to + length), (long)(capacity - length));
    if (got <= 0) break;
    length += (size_t)got;
  }
  close_file(fd);
  return (uint32_t)length;
}

void describe_process(dprof_session_process *process) {
  process->pid = (uint32_t)system_call(SYS_getpid);
  long length = system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)process->executable, sizeof process->executable);
  process->executable_bytes = length > 0 ? (uint32_t)length : 0;
  process->command_bytes = read_whole("/proc/self/cmdline", process->command, sizeof process->command);
  struct timespec now = {};
  system_call(SYS_clock_gettime, CLOCK_REALTIME, (long)&now);
  process->start_time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Creates the image's file for `slots` threads; returns the descriptor or minus an errno.
int create_image_file(uint32_t image, size_t bytes) {
  char path[DPROF_SESSION_PATH_BYTES];
  image_path(path, sizeof path, image);
  int fd = open_path(path, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return fd;
  long result = system_call(SYS_ftruncate, fd, (long)bytes);
  if (result < 0) {
    close_file(fd);
    return (int)result;
  }
  return fd;
}

struct Layout {
  size_t slots_offset, buffers_offset, file_bytes;
};

Layout layout_for(uint32_t slots) {
  Layout layout;
  layout.slots_offset = round_up(sizeof(dprof_session_process));
  layout.buffers_offset = layout.slots_offset + round_up(slots * sizeof(dprof_session_slot));
  layout.file_bytes = layout.buffers_offset + (size_t)slots * DPROF_SESSION_BUFFERS * DPROF_SESSION_BUFFER_WORDS * sizeof(uint64_t);
  return layout;
}

bool start_image(dprof_session_process *process, uint32_t slots, const Layout &layout) {
  if (!populate(process, layout.buffers_offset)) return false;
  process->magic = DPROF_SESSION_MAGIC;
  process->version = DPROF_SESSION_VERSION;
  process->slots = slots;
  process->slots_offset = layout.slots_offset;
  process->buffers_offset = layout.buffers_offset;
  process->file_bytes = layout.file_bytes;
  describe_process(process);
  session.process = process;
  session.slots = (dprof_session_slot *)((char *)process + layout.slots_offset);
  session.mapped_bytes = layout.file_bytes;
  store<uint32_t>(&process->state, DPROF_PROCESS_READY);
  wake_recorder();
  return true;
}

bool fail(long error) {
  report_failure((uint32_t)-error);
  return false;
}

bool write_whole(int fd, const void *bytes, size_t count) {
  const char *p = (const char *)bytes;
  while (count) {
    long n = system_call(SYS_write, fd, (long)p, (long)count);
    if (n == -EINTR) continue;
    if (n <= 0) return false;
    p += n;
    count -= (size_t)n;
  }
  return true;
}

struct PathQuery {
  uintptr_t inside;
  char *path;
  size_t capacity;
};

int find_path(dl_phdr_info *info, size_t, void *data) {
  PathQuery *query = (PathQuery *)data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || query->inside < begin || query->inside >= begin + segment.p_memsz) continue;
    append_text(query->path, query->capacity, 0, info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : session.process->executable);
    return 1;
  }
  return 0;
}

} // namespace

bool open_session(const char *directory) {
  size_t length = append_text(session.directory, sizeof session.directory, 0, directory);
  char path[DPROF_SESSION_PATH_BYTES];
  append_text(path, sizeof path, append_text(path, sizeof path, 0, session.directory), "/control");
  if (length == 0) return false;
  int fd = open_path(path, O_RDWR);
  if (fd < 0) return false;
  session.control = (dprof_session_control *)map_far_away(sizeof(dprof_session_control), fd);
  close_file(fd);
  if (!session.control) return false;
  if (session.control->magic != DPROF_SESSION_MAGIC || session.control->version != DPROF_SESSION_VERSION || !recorder_is_there()) return false;
  session.image = take_image_number();
  for (uint32_t slots = DPROF_SESSION_SLOTS; slots >= 16; slots /= 4) {
    Layout layout = layout_for(slots);
    fd = create_image_file(session.image, layout.file_bytes);
    if (fd < 0 && fd != -EFBIG) return fail(fd);
    void *at = fd < 0 ? nullptr : map_far_away(layout.file_bytes, fd);
    if (fd >= 0) close_file(fd);
    if (at) return start_image((dprof_session_process *)at, slots, layout) || fail(-ENOSPC);
    image_path(path, sizeof path, session.image);
    system_call(SYS_unlinkat, AT_FDCWD, (long)path);
  }
  return fail(-ENOMEM);
}

uint32_t take_image_number() { return fetch_add(&session.control->images, 1u); }

bool reopen_session_after_fork(uint32_t image) {
  dprof_session_process *process = session.process;
  uint32_t slots = process->slots;
  size_t bytes = session.mapped_bytes;
  int fd = -1;
  if (recorder_is_there()) {
    session.image = image;
    fd = create_image_file(session.image, bytes);
    if (fd < 0) fail(fd);
  }
  bool shared = fd >= 0;
  bool mapped = map_over(process, bytes, fd); // without a file: never again into the parent's
  if (shared) close_file(fd);
  return shared && mapped && (start_image(process, slots, layout_for(slots)) || fail(-ENOSPC));
}

void wake_recorder() {
  __atomic_fetch_add(&session.control->wake, 1u, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&session.control->sleeping, __ATOMIC_SEQ_CST)) futex_wake(&session.control->wake);
}

void report_failure(uint32_t error) {
  store(&session.control->failure, error);
  wake_recorder();
}

bool recorder_is_there() {
  return !load(&session.control->stopped) && !(load(&session.control->alive[0]) & DPROF_SESSION_OWNER_DIED);
}

void stop_recording() {
  recording = false;
  set_modules_active(false);
}

bool publish_module(const dprof_module *module) {
  char path[DPROF_SESSION_PATH_BYTES];
  uint32_t number = session.process->modules;
  size_t n = image_path(path, sizeof path, session.image);
  n = append_text(path, sizeof path, n, ".m");
  append_number(path, sizeof path, n, number);
  int fd = open_path(path, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return fail(fd);
  char name[DPROF_SESSION_PATH_BYTES] = "";
  PathQuery query = {(uintptr_t)module->units_begin, name, sizeof name};
  dl_iterate_phdr(find_path, &query);
  dprof_session_module header = {};
  header.magic = DPROF_SESSION_MAGIC;
  header.path_bytes = (uint32_t)text_length(name);
  header.units_address = (uintptr_t)module->units_begin;
  header.units_bytes = (uintptr_t)module->units_end - (uintptr_t)module->units_begin;
  header.globals_count = (uint64_t)(module->globals_end - module->globals_begin);
  bool whole = write_whole(fd, &header, sizeof header) && write_whole(fd, name, header.path_bytes) &&
               write_whole(fd, module->globals_begin, header.globals_count * sizeof(dprof_global)) &&
               write_whole(fd, module->units_begin, header.units_bytes);
  close_file(fd);
  if (!whole) {
    system_call(SYS_unlinkat, AT_FDCWD, (long)path);
    return fail(-ENOSPC);
  }
  store(&session.process->modules, number + 1);
  return true;
}

} // namespace dprof
