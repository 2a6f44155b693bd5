// Stage: runtime. System calls through which threads meet -> RELEASE / ACQUIRE on pipes, sockets and eventfds, BLOCKED
// after a call that slept, the ranges that the kernel wrote.
#include <errno.h>
#include <sys/resource.h>

#include "interpose.h"
#include "meeting_points.h"
#include "memory.h"
#include "process.h"
#include "real.h"
#include "session.h"

namespace dprof {
namespace {

long voluntary_switches() {
  rusage usage = {};
  system_call(SYS_getrusage, RUSAGE_THREAD, (long)&usage);
  return usage.ru_nvcsw;
}

// The call slept if the thread gave up its CPU by itself.
class BlockingCall {
public:
  BlockingCall() : before_(voluntary_switches()), blocked_(DPROF_EVENT_BLOCKED) {}
  void returned() {
    ErrnoKept kept;
    if (voluntary_switches() != before_) log_words<true>(DPROF_EVENT_BLOCKED, 0);
    blocked_.happened();
  }

private:
  long before_;
  Awaited blocked_; // if anybody sees it sleep
};

template <typename Call> inline auto blocking(Call call) {
  if (__builtin_expect(!can_log(), 1)) return call();
  BlockingCall note;
  auto result = call();
  note.returned();
  return result;
}

// If the child had ended already, nobody waited; but the wait counts all the same.
pid_t note_waited_for(pid_t child) {
  if (child > 0 && __builtin_expect(can_log(), 0)) {
    ErrnoKept kept;
    log_acquire(DPROF_SYNC_PROCESS, (uint64_t)child);
  }
  return child;
}

// The memory that one call filled: one buffer, or parts in order. With MSG_TRUNC a call may answer more than the room.
struct Filled {
  const void *buffer;
  uint64_t room = 0;
  const iovec *parts = nullptr;
  size_t count = 0;

  void log(uint64_t bytes) const {
    if (buffer) log_kernel_range(buffer, bytes < room ? bytes : room);
    for (size_t i = 0; i < count && bytes; i++) {
      uint64_t here = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;
      log_kernel_range(parts[i].iov_base, here);
      bytes -= here;
    }
  }
};

Filled filled(const void *buffer, uint64_t room) { return {buffer, room}; }
Filled filled(const iovec *parts, size_t count) { return {nullptr, 0, parts, count}; }

template <typename Call> inline ssize_t receiving(int fd, Filled where, Call call) {
  if (__builtin_expect(!can_log(), 1)) return call();
  uint64_t point = meeting_point(fd);
  BlockingCall note;
  ssize_t result = call();
  note.returned();
  ErrnoKept kept;
  if (result >= 0 && point) log_acquire(DPROF_SYNC_FILE, point);
#ifdef DPROF_MUSL
  (void)where; // musl_system_calls.cc
#else
  if (result > 0) where.log((uint64_t)result);
#endif
  return result;
}

template <typename Call> inline ssize_t sending(int fd, Call call) {
  if (__builtin_expect(!can_log(), 1)) return call();
  uint64_t point = meeting_point(fd);
  if (point) log_release(DPROF_SYNC_FILE, point);
  BlockingCall note;
  ssize_t result = call();
  note.returned();
  return result;
}

constexpr size_t most_operations = 500; // the kernel's own limit, as it comes

// A System V semaphore, for all processes: the device is one that no file has.
uint64_t meeting_point(int set, const sembuf &operation) {
  return DPROF_SYNC_SYSV_DEVICE | (uint64_t)(uint32_t)set << 16 | operation.sem_num;
}

// Copied by the kernel: from where nothing can be read, the call itself has to fail, not we.
bool copy_operations(sembuf *to, const sembuf *from, size_t count) {
  iovec here = {to, count * sizeof *to}, there = {const_cast<sembuf *>(from), count * sizeof *from};
  return system_call(SYS_process_vm_readv, system_call(SYS_getpid), (long)&here, 1, (long)&there, 1, 0) ==
         (long)here.iov_len;
}

// As sem_post and sem_wait. An operation that waits for zero is none of the two: whoever counts down would have to be
// taken for one that lets others go on.
template <typename Call> inline int operating(int set, const sembuf *given, size_t count, Call call) {
  sembuf operations[most_operations];
  if (__builtin_expect(!can_log(), 1) || count > most_operations || !copy_operations(operations, given, count))
    return call();
  for (size_t i = 0; i < count; i++)
    if (operations[i].sem_op > 0) log_release(DPROF_SYNC_FILE, meeting_point(set, operations[i]));
  BlockingCall note;
  int result = call();
  note.returned();
  ErrnoKept kept;
  for (size_t i = 0; result == 0 && i < count; i++)
    if (operations[i].sem_op < 0) log_acquire(DPROF_SYNC_FILE, meeting_point(set, operations[i]));
  return result;
}

} // namespace
} // namespace dprof

using namespace dprof;

DPROF_EXPORT int semop(int set, sembuf *operations, size_t count) noexcept {
  return operating(set, operations, count, [&] { return real().semop(set, operations, count); });
}
DPROF_EXPORT int semtimedop(int set, sembuf *operations, size_t count, const timespec *most) noexcept {
  return operating(set, operations, count, [&] { return real().semtimedop(set, operations, count, most); });
}

#define DPROF_RECEIVING(name, where, parameters, arguments)                                                            \
  DPROF_EXPORT ssize_t name parameters {                                                                               \
    return receiving(fd, filled where, [&] { return real().name arguments; });                                         \
  }
#define DPROF_SENDING(name, parameters, arguments)                                                                     \
  DPROF_EXPORT ssize_t name parameters {                                                                               \
    return sending(fd, [&] { return real().name arguments; });                                                         \
  }
#define DPROF_BLOCKING(type, name, parameters, arguments)                                                              \
  DPROF_EXPORT type name parameters {                                                                                  \
    return blocking([&] { return real().name arguments; });                                                            \
  }

DPROF_RECEIVING(read, (to, bytes), (int fd, void *to, size_t bytes), (fd, to, bytes))
DPROF_RECEIVING(readv, (parts, (size_t)count), (int fd, const iovec *parts, int count), (fd, parts, count))
DPROF_RECEIVING(pread, (to, bytes), (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
DPROF_RECEIVING(pread64, (to, bytes), (int fd, void *to, size_t bytes, off64_t at), (fd, to, bytes, at))
DPROF_RECEIVING(preadv, (parts, (size_t)count), (int fd, const iovec *parts, int count, off_t at),
                (fd, parts, count, at))
DPROF_RECEIVING(preadv64, (parts, (size_t)count), (int fd, const iovec *parts, int count, off64_t at),
                (fd, parts, count, at))
DPROF_RECEIVING(recv, (to, bytes), (int fd, void *to, size_t bytes, int flags), (fd, to, bytes, flags))
DPROF_RECEIVING(recvfrom, (to, bytes), (int fd, void *to, size_t bytes, int flags, sockaddr *from, socklen_t *length),
                (fd, to, bytes, flags, from, length))
DPROF_RECEIVING(recvmsg, (message->msg_iov, message->msg_iovlen), (int fd, msghdr *message, int flags),
                (fd, message, flags))
#ifndef DPROF_MUSL

DPROF_RECEIVING(preadv2, (parts, (size_t)count), (int fd, const iovec *parts, int count, off_t at, int flags),
                (fd, parts, count, at, flags))
DPROF_RECEIVING(preadv64v2, (parts, (size_t)count), (int fd, const iovec *parts, int count, off64_t at, int flags),
                (fd, parts, count, at, flags))

// The functions that _FORTIFY_SOURCE makes of them. The C library ends the program if the buffer is too small.
extern "C" [[noreturn]] void __chk_fail(void);
#define DPROF_CHECKED(name, parameters, call)                                                                          \
  DPROF_EXPORT ssize_t name parameters {                                                                               \
    if (bytes > room) __chk_fail();                                                                                    \
    return call;                                                                                                       \
  }
DPROF_CHECKED(__read_chk, (int fd, void *to, size_t bytes, size_t room), read(fd, to, bytes))
DPROF_CHECKED(__pread_chk, (int fd, void *to, size_t bytes, off_t at, size_t room), pread(fd, to, bytes, at))
DPROF_CHECKED(__pread64_chk, (int fd, void *to, size_t bytes, off64_t at, size_t room), pread64(fd, to, bytes, at))
DPROF_CHECKED(__recv_chk, (int fd, void *to, size_t bytes, size_t room, int flags), recv(fd, to, bytes, flags))
DPROF_CHECKED(__recvfrom_chk,
              (int fd, void *to, size_t bytes, size_t room, int flags, sockaddr *from, socklen_t *length),
              recvfrom(fd, to, bytes, flags, from, length))

#endif

DPROF_EXPORT ssize_t getrandom(void *to, size_t bytes, unsigned flags) {
  ssize_t result = real().getrandom(to, bytes, flags);
#ifndef DPROF_MUSL
  if (__builtin_expect(can_log(), 0) && result > 0) {
    ErrnoKept kept;
    log_kernel_range(to, (uint64_t)result);
  }
#endif
  return result;
}

DPROF_EXPORT int recvmmsg(int fd, mmsghdr *messages, unsigned count, int flags, timespec *timeout) {
  int done = 0;
  receiving(fd, Filled{nullptr},
            [&] { return (ssize_t)(done = real().recvmmsg(fd, messages, count, flags, timeout)); });
#ifndef DPROF_MUSL
  if (__builtin_expect(can_log(), 0)) {
    ErrnoKept kept;
    for (int i = 0; i < done; i++)
      filled(messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen).log(messages[i].msg_len);
  }
#endif
  return done;
}

DPROF_SENDING(write, (int fd, const void *from, size_t bytes), (fd, from, bytes))
DPROF_SENDING(writev, (int fd, const iovec *parts, int count), (fd, parts, count))
DPROF_SENDING(send, (int fd, const void *from, size_t bytes, int flags), (fd, from, bytes, flags))
DPROF_SENDING(sendto, (int fd, const void *from, size_t bytes, int flags, const sockaddr *to, socklen_t length),
              (fd, from, bytes, flags, to, length))
DPROF_SENDING(sendmsg, (int fd, const msghdr *message, int flags), (fd, message, flags))

// The C library's own do not pass through our read and write.
DPROF_EXPORT int eventfd_read(int fd, eventfd_t *value) {
  return receiving(fd, filled(value, sizeof *value),
                   [&] { return real().eventfd_read(fd, value) == 0 ? (ssize_t)sizeof *value : -1; }) < 0
             ? -1
             : 0;
}

DPROF_EXPORT int eventfd_write(int fd, eventfd_t value) {
  return (int)sending(fd, [&] { return (ssize_t)real().eventfd_write(fd, value); });
}

DPROF_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  int result = real().socketpair(domain, type, protocol, ends);
  if (__builtin_expect(recording, 0) && result == 0) note_socket_pair(ends);
  return result;
}

DPROF_BLOCKING(int, accept, (int fd, sockaddr *from, socklen_t *length), (fd, from, length))
DPROF_BLOCKING(int, accept4, (int fd, sockaddr *from, socklen_t *length, int flags), (fd, from, length, flags))
DPROF_BLOCKING(int, connect, (int fd, const sockaddr *to, socklen_t length), (fd, to, length))
DPROF_BLOCKING(int, poll, (pollfd * files, nfds_t count, int milliseconds), (files, count, milliseconds))
DPROF_BLOCKING(int, ppoll, (pollfd * files, nfds_t count, const timespec *timeout, const sigset_t *mask),
               (files, count, timeout, mask))
DPROF_BLOCKING(int, select, (int count, fd_set *in, fd_set *out, fd_set *errors, timeval *timeout),
               (count, in, out, errors, timeout))
DPROF_BLOCKING(int, pselect,
               (int count, fd_set *in, fd_set *out, fd_set *errors, const timespec *timeout, const sigset_t *mask),
               (count, in, out, errors, timeout, mask))
DPROF_BLOCKING(int, epoll_wait, (int fd, epoll_event *events, int count, int milliseconds),
               (fd, events, count, milliseconds))
DPROF_BLOCKING(int, epoll_pwait, (int fd, epoll_event *events, int count, int milliseconds, const sigset_t *mask),
               (fd, events, count, milliseconds, mask))
DPROF_BLOCKING(int, nanosleep, (const timespec *time, timespec *rest), (time, rest))
DPROF_BLOCKING(int, clock_nanosleep, (clockid_t clock, int flags, const timespec *time, timespec *rest),
               (clock, flags, time, rest))
DPROF_BLOCKING(int, usleep, (useconds_t time), (time))
DPROF_BLOCKING(unsigned, sleep, (unsigned seconds), (seconds))
DPROF_BLOCKING(int, pause, (void), ())
DPROF_BLOCKING(int, sigsuspend, (const sigset_t *mask), (mask))
DPROF_BLOCKING(int, sigwait, (const sigset_t *set, int *number), (set, number))
DPROF_BLOCKING(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
DPROF_BLOCKING(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const timespec *timeout), (set, info, timeout))

#define DPROF_WAITING(name, parameters, arguments)                                                                     \
  DPROF_EXPORT pid_t name parameters {                                                                                 \
    return note_waited_for(blocking([&] { return real().name arguments; }));                                           \
  }
DPROF_WAITING(wait, (int *status), (status))
DPROF_WAITING(waitpid, (pid_t pid, int *status, int options), (pid, status, options))
DPROF_WAITING(wait3, (int *status, int options, rusage *usage), (status, options, usage))
DPROF_WAITING(wait4, (pid_t pid, int *status, int options, rusage *usage), (pid, status, options, usage))

DPROF_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
  int result = blocking([&] { return real().waitid(type, id, info, options); });
  if (result == 0 && info) note_waited_for(info->si_pid);
  return result;
}

namespace {

// Not for a vfork child, which lives in its parent's memory.
void note_immediate_exit(int status) {
  if (!recording || (uint32_t)system_call(SYS_getpid) != session.process->pid) return;
  note_exit(status);
  close_session();
}

} // namespace

#ifndef DPROF_MUSL // there all ends come through _Exit
DPROF_EXPORT void _exit(int status) {
  note_immediate_exit(status);
  real()._exit(status);
  __builtin_unreachable();
}
#endif

DPROF_EXPORT void _Exit(int status) noexcept {
  note_immediate_exit(status);
  real()._Exit(status);
  __builtin_unreachable();
}
