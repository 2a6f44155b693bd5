// Stage: blocks. The child keeps the file of the window and no other, may make three system calls, and those from the
// harness alone: mmap and munmap, whose arguments are the monitor's, and getrusage. Its signals are the monitor's.
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <iterator>

namespace dprof {
namespace {

constexpr rlim_t most_seconds = 5, most_address_space = 1ul << 32;
constexpr uint64_t counter_page = WINDOW + 0xa000;

bool set_limits() {
  const auto set = [](__rlimit_resource which, rlim_t most) {
    const rlimit limit = {most, most};
    return setrlimit(which, &limit) == 0;
  };
  return set(RLIMIT_CORE, 0) && set(RLIMIT_CPU, most_seconds) && set(RLIMIT_FSIZE, 0) && set(RLIMIT_MEMLOCK, 0) &&
         set(RLIMIT_AS, most_address_space);
}

bool keep_one_file(int file) {
  return dup2(file, kept_file) == kept_file && syscall(SYS_close_range, kept_file + 1, ~0u, 0) == 0;
}

// The kernel would write there whenever the process is moved, and the page will be gone.
void forget_restartable_sequences() {
  if (__rseq_size == 0) return;
  uint8_t *area = (uint8_t *)__builtin_thread_pointer() + __rseq_offset;
  for (const unsigned bytes : {32u, __rseq_size})
    if (syscall(SYS_rseq, area, bytes, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0) return;
}

int open_cycles() {
  perf_event_attr event = {};
  event.type = PERF_TYPE_HARDWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.pinned = 1;
  return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// The mapping keeps the counter, and lets RDPMC read it.
bool map_counter(SharedWindow &window) {
  const int file = open_cycles();
  if (file < 0) return false;
  const void *page = mmap((void *)counter_page, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0);
  if (page == MAP_FAILED) return false;
  const perf_event_mmap_page *counter = (const perf_event_mmap_page *)page;
  if (!counter->cap_user_rdpmc || counter->index == 0) return false;
  window.set_desk(DESK_COUNTER, counter->index - 1);
  return true;
}

bool map_part(int file, size_t begin, size_t end, int protection) {
  return mmap((void *)(WINDOW + begin), end - begin, protection, MAP_SHARED | MAP_FIXED_NOREPLACE, file,
              (off_t)begin) == (void *)(WINDOW + begin);
}

bool map_window(int file) {
  return map_part(file, 0, DESK, PROT_READ | PROT_EXEC) && map_part(file, DESK, BLOCK, PROT_READ | PROT_WRITE) &&
         map_part(file, BLOCK, WINDOW_BYTES, PROT_READ | PROT_EXEC);
}

constexpr sock_filter load(size_t at) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)at); }

// Without the flag some kernels forbid loads to run ahead of stores, which would then be measured.
bool filter_system_calls() {
  constexpr unsigned begin = WINDOW & 0xffffffff, end = begin + DESK, high = WINDOW >> 32;
  constexpr auto number = offsetof(seccomp_data, nr), pointer = offsetof(seccomp_data, instruction_pointer);
  static const sock_filter filter[] = {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 10),
      load(pointer + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 8),
      load(pointer),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, begin, 0, 6),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, end, 5, 0),
      load(number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrusage, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP), // SIGSYS, of which the monitor hears
  };
  const sock_fprog program = {std::size(filter), (sock_filter *)filter};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

[[noreturn]] void become_child(SharedWindow &window, pid_t parent, bool is_counted) {
  const auto require = [&](bool worked, Confinement step) {
    if (worked) return;
    window.set_desk(DESK_PROBLEM, (uint64_t)step);
    window.set_desk(DESK_ERROR, (uint64_t)errno);
    _exit(1);
  };
  require(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent, Confinement::parent);
  require(setpgid(0, 0) == 0, Confinement::group);
  require(set_limits(), Confinement::limits);
  require(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0, Confinement::ptrace);
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, Confinement::privileges);
  require(map_window(window.file), Confinement::window);
  if (is_counted) require(map_counter(window), Confinement::counter);
  require(keep_one_file(window.file), Confinement::files);
  forget_restartable_sequences();
  require(filter_system_calls(), Confinement::seccomp);
  asm volatile("jmp *%0" ::"r"(harness_address(dprof_harness_begin)));
  __builtin_unreachable();
}

} // namespace

const char *name_of(Confinement step) {
  constexpr const char *names[] = {"ready",  "PR_SET_PDEATHSIG", "setpgid",         "setrlimit", "close_range",
                                   "ptrace", "no_new_privs",     "perf_event_open", "mmap",      "seccomp"};
  return names[(size_t)step];
}

pid_t start_confined(SharedWindow &window, bool is_counted) {
  window.set_desk(DESK_PROBLEM, (uint64_t)Confinement::ready);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) become_child(window, parent, is_counted);
  return child;
}

bool can_count_cycles() {
  const int file = open_cycles();
  if (file < 0) return false;
  const void *page = mmap(nullptr, PAGE, PROT_READ, MAP_SHARED, file, 0);
  const bool can = page != MAP_FAILED && ((const perf_event_mmap_page *)page)->cap_user_rdpmc;
  if (page != MAP_FAILED) munmap((void *)page, PAGE);
  close(file);
  return can;
}

} // namespace dprof
