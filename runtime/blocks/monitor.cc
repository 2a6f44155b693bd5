// Stage: blocks. On a fault the monitor lets the child map one more page onto the data page, and begin anew.
#include "monitor.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

namespace dprof {
namespace {

constexpr long most_nanoseconds = 200'000'000; // of processor time, for all runs of a block
constexpr int watch_microseconds = 50'000;
constexpr uint64_t lowest_address = 0x10000, end_of_addresses = 0x7ffffffff000;
constexpr uint64_t on_page = ~(uint64_t)(PAGE - 1);

constexpr Outcome crashed(const char *reason) { return {false, "crashed", reason}; }

void set_alarm(int how) {
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(how, &alarm, nullptr);
}

} // namespace

// Only a wait is interrupted: whatever else this process reads and writes is not.
void watch_time() {
  set_alarm(SIG_BLOCK);
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, nullptr); // without SA_RESTART
  const itimerval every = {{0, watch_microseconds}, {0, watch_microseconds}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

Monitor::Monitor(SharedWindow &window, bool is_counted, Pages mapped)
    : window_(window), is_counted_(is_counted), mapped_(mapped) {
  child_ = start_confined(window, is_counted);
  int status;
  if (child_ < 0) {
    refusal = std::string("fork: ") + strerror(errno);
    return;
  }
  if (wait(&status) && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP &&
      ptrace(PTRACE_GETREGS, child_, nullptr, &begin_) == 0 && begin_.rip == harness_address(dprof_harness_ready)) {
    ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_EXITKILL);
    begin_.fs_base = begin_.gs_base = FILL;
    return;
  }
  const Confinement step = (Confinement)window.desk(DESK_PROBLEM);
  refusal = step == Confinement::ready ? std::string("the traced process ended at once")
                                       : std::string(name_of(step)) + ": " + strerror((int)window.desk(DESK_ERROR));
  end();
}

Monitor::~Monitor() { end(); }

void Monitor::end() {
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  int status;
  while (waitpid(child_, &status, __WALL) < 0 && errno == EINTR) {}
  child_ = -1;
}

bool Monitor::has_used_its_time() const {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(child_, &clock) != 0 || clock_gettime(clock, &used) != 0) return false;
  return used.tv_sec > 0 || used.tv_nsec > most_nanoseconds;
}

// False: the child is gone.
bool Monitor::wait(int *status) {
  for (;;) {
    set_alarm(SIG_UNBLOCK);
    const pid_t who = waitpid(child_, status, __WALL);
    const int error = errno;
    set_alarm(SIG_BLOCK);
    if (who == child_) {
      if (WIFSTOPPED(*status)) return true;
      child_ = -1;
      return false;
    }
    if (who < 0 && error != EINTR) return false;
    if (!is_late_ && has_used_its_time()) {
      is_late_ = true;
      kill(child_, SIGKILL);
    }
  }
}

void Monitor::go(uint64_t to, const user_regs_struct *registers) {
  user_regs_struct changed = registers ? *registers : begin_;
  changed.rip = to;
  changed.orig_rax = (unsigned long long)-1; // no system call is to be begun again
  changed.eflags = 0x202;
  ptrace(PTRACE_SETREGS, child_, nullptr, &changed);
  ptrace(PTRACE_CONT, child_, nullptr, nullptr);
}

void Monitor::map_page(uint64_t address) {
  user_regs_struct call = begin_;
  call.rax = SYS_mmap;
  call.rdi = address;
  call.rsi = PAGE;
  call.rdx = PROT_READ | PROT_WRITE;
  call.r10 = MAP_SHARED | MAP_FIXED_NOREPLACE;
  call.r8 = kept_file;
  call.r9 = mapped_ == Pages::all_one ? DATA : OWN_PAGES + (uint64_t)pages * PAGE;
  pages++;
  last_mapped_ = address;
  if (mapped_ == Pages::each_its_own) window_.make_own_pages_new();
  go(harness_address(dprof_harness_map), &call);
}

Outcome Monitor::run(bool is_timed, uint64_t entry) {
  window_.set_desk(DESK_IS_TIMED, is_timed ? (is_counted_ ? 2 : 1) : 0);
  window_.set_desk(DESK_ENTRY, entry);
  last_mapped_ = 0;
  if (mapped_ == Pages::each_its_own) window_.make_own_pages_new();
  go(harness_address(dprof_harness_run));
  for (;;) {
    int status;
    if (!wait(&status)) return is_late_ ? Outcome{false, "timed-out", "time-limit"} : crashed("killed");
    siginfo_t signal = {};
    user_regs_struct registers;
    ptrace(PTRACE_GETSIGINFO, child_, nullptr, &signal);
    if (ptrace(PTRACE_GETREGS, child_, nullptr, &registers) != 0) continue; // it was killed
    Outcome outcome = judge(signal, registers);
    outcome.address = registers.rip;
    if (outcome.is_finished || *outcome.reason) return outcome;
    map_page((uint64_t)signal.si_addr & on_page);
  }
}

// Neither finished nor with a reason: a page is to be mapped.
Outcome Monitor::judge(const siginfo_t &signal, const user_regs_struct &registers) {
  constexpr uint64_t end_of_code = WINDOW + DESK;
  switch (signal.si_signo) {
    case SIGTRAP:
      if (registers.rip > WINDOW && registers.rip <= end_of_code) return {true, "", ""};
      return crashed("trap");
    case SIGSEGV: return judge_fault(signal, registers);
    case SIGFPE: return crashed(signal.si_code == FPE_INTDIV ? "divide-error" : "floating-point-trap");
    case SIGILL: return crashed("unsupported-instruction");
    case SIGBUS: return crashed("misaligned");
    case SIGSYS: return crashed("system-call");
    case SIGXCPU: return {false, "timed-out", "time-limit"};
    default: return crashed("signal");
  }
}

Outcome Monitor::judge_fault(const siginfo_t &fault, const user_regs_struct &registers) {
  const uint64_t address = (uint64_t)fault.si_addr;
  if (fault.si_code != SEGV_MAPERR && fault.si_code != SEGV_ACCERR) return crashed("general-protection");
  if (address >= WINDOW && address < WINDOW + WINDOW_BYTES)
    return crashed(fault.si_code == SEGV_ACCERR ? "writes-code" : "own-window");
  if (fault.si_code == SEGV_ACCERR) return crashed("protected-address");
  if (address == registers.rip) return crashed("jumps-away");
  if (address < lowest_address) return crashed("null-page");
  if (address >= end_of_addresses) return crashed("kernel-address");
  if ((address & on_page) == last_mapped_) return crashed("unmappable");
  if (mapped_ == Pages::none) return crashed("page-fault");
  if (pages >= (int)most_pages) return crashed("too-many-pages");
  return {};
}

StickyFlags Monitor::sticky_flags() const {
  user_fpregs_struct units = {};
  ptrace(PTRACE_GETFPREGS, child_, nullptr, &units);
  return {units.mxcsr, units.swd};
}

} // namespace dprof
