// Stage: runtime. A session directory -> this process's shared file in it.
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "limits.h"
#include "loaded_object.h"
#include "memory.h"
#include "modules.h"
#include "musl.h"
#include "real.h"
#include "thread_log.h"

namespace dprof {

Session session = {};

namespace {

constexpr size_t page = 65536; // the largest page size of the architectures we know
size_t round_up(size_t n) { return (n + page - 1) & ~(page - 1); }

int open_path(const char *path, int flags) {
  return (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600);
}
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

struct FileQuery {
  uintptr_t inside;
  char *path; // from the root on, as long as the program stays in the folder from which it loaded the file
  size_t capacity;
  const char *of_program; // where the program itself has it
  BuildId build_id;
};

int find_file(dl_phdr_info *info, size_t, void *data) {
  FileQuery *query = (FileQuery *)data;
  if (!segment_around(*info, query->inside)) return 0;
#ifdef DPROF_MUSL
  const char *name = query->of_program; // musl names it /proc/self/exe
#else
  const char *name = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : query->of_program;
#endif
  size_t length = 0;
  if (name[0] && name[0] != '/' && system_call(SYS_getcwd, (long)query->path, (long)query->capacity) > 0) {
    length = append_text(query->path, query->capacity, text_length(query->path), "/");
    while (name[0] == '.' && name[1] == '/') name += 2;
  }
  append_text(query->path, query->capacity, length, name);
  query->build_id = build_id_of(*info);
  return 1;
}

// The library whose malloc ours calls; empty: the program has one itself.
char allocator[DPROF_SESSION_PATH_BYTES];

void find_allocator() {
  FileQuery query = {(uintptr_t)real().malloc, allocator, sizeof allocator, "", {}};
  dl_iterate_phdr(find_file, &query);
}

void describe_process(dprof_session_process *process) {
  process->pid = (uint32_t)system_call(SYS_getpid);
  long length = system_call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)process->executable,
                            sizeof process->executable);
  process->executable_bytes = length > 0 ? (uint32_t)length : 0;
  copy_bytes(process->allocator, allocator, sizeof allocator);
  process->command_bytes = read_whole("/proc/self/cmdline", process->command, sizeof process->command);
  struct timespec now = {};
  system_call(SYS_clock_gettime, CLOCK_REALTIME, (long)&now);
  process->start_time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// A process whose files may not be large (`ulimit -f`) gets one that the recorder has made large; minus an errno if
// there is none.
int claim_spare(const char *path) {
  char spare[DPROF_SESSION_PATH_BYTES];
  for (int round = 0; round < 100 && recorder_is_there(); round++) {
    for (unsigned i = 0; i < DPROF_SESSION_SPARES; i++) {
      size_t n = append_text(spare, sizeof spare, 0, session.directory);
      append_number(spare, sizeof spare, append_text(spare, sizeof spare, n, "/s."), i);
      if (system_call(SYS_renameat, AT_FDCWD, (long)spare, AT_FDCWD, (long)path) == 0) return open_path(path, O_RDWR);
    }
    if (load(&session.control->spares_wanted) == DPROF_SPARES_REFUSED) break;
    store(&session.control->spares_wanted, 1u);
    uint32_t seen = load(&session.control->wake);
    wake_recorder();
    futex_wait(&session.control->wake, seen + 1, 20);
  }
  return -EFBIG;
}

// Creates a file of `bytes`; returns the descriptor or minus an errno.
int create_file(const char *path, size_t bytes) {
  if (bytes > resource_limit(RLIMIT_FSIZE)) return claim_spare(path);
  int fd = open_path(path, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return fd;
  long result = system_call(SYS_ftruncate, fd, (long)bytes);
  if (result < 0) {
    close_file(fd);
    return (int)result;
  }
  return fd;
}

int create_image_file(uint32_t image, size_t bytes) {
  char path[DPROF_SESSION_PATH_BYTES];
  image_path(path, sizeof path, image);
  return create_file(path, bytes);
}

struct Layout {
  size_t seats_offset, buffers_offset, file_bytes;
};

Layout layout_for(uint32_t seats) {
  Layout layout;
  layout.seats_offset = round_up(sizeof(dprof_session_process));
  layout.buffers_offset = layout.seats_offset + round_up(seats * sizeof(dprof_session_seat));
  layout.file_bytes =
      layout.buffers_offset + (size_t)seats * DPROF_SESSION_BUFFERS * DPROF_SESSION_BUFFER_WORDS * sizeof(uint64_t);
  return layout;
}

// Seats beyond these are populated as they are taken.
constexpr uint32_t first_seats = 64;

bool start_image(dprof_session_process *process, uint32_t seats, const Layout &layout, uint32_t modules) {
  if (!populate(process,
                layout.seats_offset + (seats < first_seats ? seats : first_seats) * sizeof(dprof_session_seat)))
    return false;
  process->magic = DPROF_SESSION_MAGIC;
  process->version = DPROF_SESSION_VERSION;
  process->seats = seats;
  process->seats_offset = layout.seats_offset;
  process->buffers_offset = layout.buffers_offset;
  process->file_bytes = layout.file_bytes;
  process->modules = modules;
  describe_process(process);
  session.process = process;
  session.seats = (dprof_session_seat *)((char *)process + layout.seats_offset);
  session.mapped_bytes = layout.file_bytes;
  session.seats_ready = seats < first_seats ? seats : first_seats;
  store<uint32_t>(&process->state, DPROF_PROCESS_READY);
  wake_recorder();
  return true;
}

bool fail(long error) {
  report_failure((uint32_t)-error);
  return false;
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
  if (session.control->magic != DPROF_SESSION_MAGIC || session.control->version != DPROF_SESSION_VERSION ||
      !recorder_is_there())
    return false;
  find_allocator();
  session.image = fetch_add(&session.control->images, 1u);
  for (uint32_t seats = DPROF_SESSION_SEATS; seats >= 4; seats /= 4) {
    Layout layout = layout_for(seats);
    // Where the address space is limited, it stays the program's: the limit is raised by what we take, or we take
    // little.
    if (!make_room_in_address_space(layout.file_bytes) && seats > 4) continue;
    fd = create_image_file(session.image, layout.file_bytes);
    if (fd < 0 && fd != -EFBIG) return fail(fd);
    void *at = fd < 0 ? nullptr : map_far_away(layout.file_bytes, fd);
    if (fd >= 0) close_file(fd);
    if (at) return start_image((dprof_session_process *)at, seats, layout, 0) || fail(-ENOSPC);
    image_path(path, sizeof path, session.image);
    system_call(SYS_unlinkat, AT_FDCWD, (long)path);
  }
  return fail(-ENOMEM);
}

ChildImage prepare_child_image() {
  ChildImage image = {fetch_add(&session.control->images, 1u), -1};
  image.file = recorder_is_there() ? create_image_file(image.number, session.mapped_bytes) : -1;
  if (image.file < -1) fail(image.file);
  return image;
}

void forget_child_image(const ChildImage &image) {
  if (image.file >= 0) close_file(image.file);
}

bool reopen_session_after_fork(const ChildImage &image, uint32_t modules) {
  dprof_session_process *process = session.process;
  uint32_t seats = process->seats;
  session.image = image.number;
  bool mapped = map_over(process, session.mapped_bytes, image.file); // without a file: never again into the parent's
  if (image.file < 0) return false;
  close_file(image.file);
  return mapped && (start_image(process, seats, layout_for(seats), modules) || fail(-ENOSPC));
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

bool populate_seat(uint32_t index) {
  if (index < load(&session.seats_ready)) return true;
  const dprof_session_seat *seat = &session.seats[index];
  uintptr_t begin = (uintptr_t)seat & ~(uintptr_t)4095, end = ((uintptr_t)(seat + 1) + 4095) & ~(uintptr_t)4095;
  if (!populate((void *)begin, end - begin)) return false;
  swap_if(&session.seats_ready, index, index + 1);
  return true;
}

// Written by mapping: no limit for files concerns that, and no signal comes of it.
bool publish_module(const dprof_module *module, uint32_t image, uint32_t number, bool has_globals) {
  char path[DPROF_SESSION_PATH_BYTES];
  size_t n = image_path(path, sizeof path, image);
  append_number(path, sizeof path, append_text(path, sizeof path, n, ".m"), number);
  char name[DPROF_SESSION_PATH_BYTES] = "";
  FileQuery query = {(uintptr_t)module->units_begin, name, sizeof name, session.process->executable, {}};
  {
    Silenced silenced;
    dl_iterate_phdr(find_file, &query);
  }
  dprof_session_module header = {};
  header.magic = DPROF_SESSION_MAGIC;
  header.path_bytes = (uint32_t)text_length(name);
  header.units_address = (uintptr_t)module->units_begin;
  header.units_bytes = (uintptr_t)module->units_end - (uintptr_t)module->units_begin;
  header.globals_count = has_globals ? (uint64_t)(module->globals_end - module->globals_begin) : 0;
  header.build_id_bytes = query.build_id.count;
  size_t globals_bytes = header.globals_count * sizeof(dprof_global);
  size_t bytes = sizeof header + header.path_bytes + header.build_id_bytes + globals_bytes + header.units_bytes;
  int fd = create_file(path, bytes);
  if (fd < 0) return fail(fd);
  char *at = (char *)map_far_away(bytes, fd);
  close_file(fd);
  bool room = at && populate(at, bytes);
  if (room) {
    char *to = at + sizeof header;
    copy_bytes(to, name, header.path_bytes);
    copy_bytes(to += header.path_bytes, query.build_id.bytes, header.build_id_bytes);
    copy_bytes(to += header.build_id_bytes, module->globals_begin, globals_bytes);
    copy_bytes(to + globals_bytes, module->units_begin, header.units_bytes);
    copy_bytes(at, &header, sizeof header);
  } else {
    system_call(SYS_unlinkat, AT_FDCWD, (long)path);
  }
  if (at) unmap(at, bytes);
  return room || fail(at ? -ENOSPC : -ENOMEM);
}

} // namespace dprof
