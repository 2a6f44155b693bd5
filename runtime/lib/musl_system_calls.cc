// Stage: runtime, with a musl that records itself. All its system calls come through here (runtime/musl/include): what
// the kernel writes, where a process forks, where a thread ends.
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>

#include "interpose.h"
#include "musl.h"

namespace dprof {
namespace {

constexpr int answered = -1, bounded = -2; // bytes: as many as the answer says; no more than there was room for

// A system call, the argument that is the address, and how many bytes the kernel writes there if it is not null.
// `times`: for each that the answer counts.
struct Write {
  short number;
  short argument;
  int bytes;
  bool times;
};

constexpr int signal_action_bytes = 32, terminal_bytes = 36; // the kernel's own structs

constexpr Write writes[] = {
    {SYS_read, 1, answered, false},
    {SYS_pread64, 1, answered, false},
    {SYS_recvfrom, 1, bounded, false},
    {SYS_getrandom, 0, answered, false},
    {SYS_getcwd, 0, answered, false},
    {SYS_readlink, 1, answered, false},
    {SYS_readlinkat, 2, answered, false},
    {SYS_getdents64, 1, answered, false},
    {SYS_sched_getaffinity, 2, answered, false},
    {SYS_stat, 1, sizeof(struct stat), false},
    {SYS_fstat, 1, sizeof(struct stat), false},
    {SYS_lstat, 1, sizeof(struct stat), false},
    {SYS_newfstatat, 2, sizeof(struct stat), false},
    {SYS_statx, 4, 256, false},
    {SYS_statfs, 1, sizeof(struct statfs), false},
    {SYS_fstatfs, 1, sizeof(struct statfs), false},
    {SYS_pipe, 0, 2 * sizeof(int), false},
    {SYS_pipe2, 0, 2 * sizeof(int), false},
    {SYS_socketpair, 3, 2 * sizeof(int), false},
    {SYS_clock_gettime, 1, sizeof(timespec), false},
    {SYS_clock_getres, 1, sizeof(timespec), false},
    {SYS_gettimeofday, 0, sizeof(timeval), false},
    {SYS_getitimer, 1, 2 * sizeof(timeval), false},
    {SYS_setitimer, 2, 2 * sizeof(timeval), false},
    {SYS_timer_gettime, 1, 2 * sizeof(timespec), false},
    {SYS_rt_sigprocmask, 2, sizeof(uint64_t), false},
    {SYS_rt_sigpending, 0, sizeof(uint64_t), false},
    {SYS_rt_sigaction, 2, signal_action_bytes, false},
    {SYS_rt_sigtimedwait, 1, sizeof(siginfo_t), false},
    {SYS_sigaltstack, 1, sizeof(stack_t), false},
    {SYS_uname, 0, sizeof(utsname), false},
    {SYS_sysinfo, 0, sizeof(struct sysinfo), false},
    {SYS_getrusage, 1, sizeof(rusage), false},
    {SYS_times, 0, sizeof(tms), false},
    {SYS_getrlimit, 1, sizeof(rlimit), false},
    {SYS_prlimit64, 3, sizeof(rlimit), false},
    {SYS_wait4, 1, sizeof(int), false},
    {SYS_wait4, 3, sizeof(rusage), false},
    {SYS_waitid, 2, sizeof(siginfo_t), false},
    {SYS_epoll_wait, 1, sizeof(epoll_event), true},
    {SYS_epoll_pwait, 1, sizeof(epoll_event), true},
};

void log_parts(const iovec *parts, size_t count, uint64_t bytes) {
  for (size_t i = 0; i < count && bytes; i++) {
    uint64_t here = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;
    log_kernel_range(parts[i].iov_base, here);
    bytes -= here;
  }
}

void log_control(unsigned long request, const void *at) {
  if (request == TIOCGWINSZ) log_kernel_range(at, sizeof(winsize));
  if (request == TCGETS) log_kernel_range(at, terminal_bytes);
  if (request == FIONREAD) log_kernel_range(at, sizeof(int));
}

// An address, and the length that the kernel gave it.
void log_name(const void *at, const socklen_t *bytes) {
  if (!at || !bytes) return;
  log_kernel_range(at, *bytes);
  log_kernel_range(bytes, sizeof *bytes);
}

void log_polled(pollfd *files, size_t count) {
  for (size_t i = 0; i < count; i++) log_kernel_range(&files[i].revents, sizeof files[i].revents);
}

void log_selected(const long (&arguments)[6]) {
  for (int i = 1; i <= 3; i++)
    if (arguments[i]) log_kernel_range((void *)arguments[i], (uint64_t)(arguments[0] + 63) / 64 * 8);
}

} // namespace

void log_kernel_writes(long number, const long (&arguments)[6], long result) {
  if (result < 0) return;
  switch (number) {
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2: return log_parts((const iovec *)arguments[1], (size_t)arguments[2], (uint64_t)result);
    case SYS_recvmsg: {
      const msghdr *message = (const msghdr *)arguments[1];
      return log_parts(message->msg_iov, message->msg_iovlen, (uint64_t)result);
    }
    case SYS_recvmmsg:
      for (long i = 0; i < result; i++) {
        const mmsghdr &message = ((const mmsghdr *)arguments[1])[i];
        log_parts(message.msg_hdr.msg_iov, message.msg_hdr.msg_iovlen, message.msg_len);
      }
      return;
    case SYS_ioctl: return log_control((unsigned long)arguments[1], (const void *)arguments[2]);
    case SYS_accept:
    case SYS_accept4:
    case SYS_getsockname:
    case SYS_getpeername: return log_name((const void *)arguments[1], (const socklen_t *)arguments[2]);
    case SYS_getsockopt: return log_name((const void *)arguments[3], (const socklen_t *)arguments[4]);
    case SYS_poll:
    case SYS_ppoll: return log_polled((pollfd *)arguments[0], (size_t)arguments[1]);
    case SYS_select:
    case SYS_pselect6: return log_selected(arguments);
    default: break;
  }
  for (const Write &write : writes) {
    if (write.number != number || !arguments[write.argument]) continue;
    uint64_t bytes = write.bytes < 0 ? (uint64_t)result : (uint64_t)write.bytes;
    if (write.bytes == bounded && bytes > (uint64_t)arguments[write.argument + 1])
      bytes = (uint64_t)arguments[write.argument + 1];
    log_kernel_range((const void *)arguments[write.argument], write.times ? bytes * (uint64_t)result : bytes);
  }
}

} // namespace dprof

using namespace dprof;

extern "C" {

long __seen_system_call(long number, long a, long b, long c, long d, long e, long f) {
  if (!recording) return system_call(number, a, b, c, d, e, f);
  if (number == SYS_fork) return fork_recorded();
  const dprof_session_seat *seat = thread_log.seat;
  // Not that of a child of vfork, which has its parent's seat.
  if (number == SYS_exit && seat && seat->kernel_thread == (uint32_t)system_call(SYS_gettid)) end_thread();
  long result = system_call(number, a, b, c, d, e, f);
  if (can_log()) log_kernel_writes(number, {a, b, c, d, e, f}, result);
  return result;
}

// The calls at which a thread may be cancelled: musl makes them in an assembler file, where it knows whether they have
// begun.
long __real___syscall_cp(long, long, long, long, long, long, long);
long __wrap___syscall_cp(long number, long a, long b, long c, long d, long e, long f) {
  long result = __real___syscall_cp(number, a, b, c, d, e, f);
  if (can_log()) log_kernel_writes(number, {a, b, c, d, e, f}, result);
  return result;
}
}
