// Stage: runtime. Signals: a handler's records go into the log before the segment that it interrupted, which stays
// whole.
#include <errno.h>
#include <string.h>

#include "interpose.h"
#include "real.h"

namespace dprof {
namespace {

struct UserHandler {
  union {
    void (*function)(int, siginfo_t *, void *);
    void (*plain_function)(int);
  };
  bool wants_information;
};
UserHandler handlers[NSIG];

void run_handler(int number, siginfo_t *information, void *context);

bool is_ours(const struct sigaction &action) { return action.sa_sigaction == run_handler; }

void call_user(int number, siginfo_t *information, void *context) {
  UserHandler handler = handlers[number];
  if (handler.wants_information)
    handler.function(number, information, context);
  else
    handler.plain_function(number);
}

void run_handler(int number, siginfo_t *information, void *context) {
  if (!recording || !handlers[number].function || is_of_another_process()) {
    if (handlers[number].function) call_user(number, information, context);
    return;
  }
  int error = errno;
  dprof_thread_cursor before = __dprof_thread;
  SignalFrame frame = {};
  frame.number = number;
  stack_t alternate = {};
  system_call(SYS_sigaltstack, 0, (long)&alternate);
  if (alternate.ss_flags & SS_ONSTACK) {
    frame.alternate_begin = (uintptr_t)alternate.ss_sp;
    frame.alternate_end = frame.alternate_begin + alternate.ss_size;
  }
  bool entered = enter_signal_frame(&frame);
  uint32_t flags = thread_log.flags;
  if (entered) {
    log_words<false>(DPROF_EVENT_SIGNAL, 1, number);
  } else if (thread_log.seat) { // no buffer to be had: what the handler does is not recorded
    thread_log.flags |= THREAD_ENDED;
    thread_log.seat->lost++;
    point_at_scratch(1);
  }
  errno = error;
  call_user(number, information, context);
  error = errno;
  if (entered) {
    if (thread_log.frame == &frame) log_words<false>(DPROF_EVENT_SIGNAL, 0, number);
    leave_signal_frame(&frame);
  } else if (thread_log.seat) {
    thread_log.flags = flags;
    __dprof_thread = before;
  }
  errno = error;
}

#if defined(__aarch64__)
// What the C library disguises stack pointers with, found by a buffer whose stack pointer is known. Its place is the
// library's own.
__attribute__((noinline)) uintptr_t find_disguise() {
  jmp_buf buffer;
  uintptr_t here;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  (void)_setjmp(buffer);
  return (uintptr_t)buffer[0].__jmpbuf[13] ^ here;
}
#endif

// Reads the stack pointer that a jump buffer holds; the C library keeps it disguised.
uintptr_t stack_pointer_in(const __jmp_buf_tag *buffer) {
#if defined(DPROF_MUSL)
  return (uintptr_t)buffer->__jmpbuf[6];
#elif defined(__x86_64__)
  uintptr_t guard, value = (uintptr_t)buffer->__jmpbuf[6];
  __asm__("mov %%fs:0x30, %0" : "=r"(guard));
  return (value >> 17 | value << 47) ^ guard;
#else
  static const uintptr_t disguise = find_disguise();
  return (uintptr_t)buffer->__jmpbuf[13] ^ disguise;
#endif
}

// Leaves the frames behind which a jump to `target` goes: those below it on the same stack, and those on a signal stack
// that does not hold it.
void leave_frames_behind(const __jmp_buf_tag *buffer) {
  if (__builtin_expect(!thread_log.frame, 1)) return;
  ErrnoKept kept;
  uintptr_t target = stack_pointer_in(buffer);
  SignalFrame *outermost = nullptr;
  for (SignalFrame *f = thread_log.frame; f; f = f->outer) {
    bool on_alternate = f->alternate_begin != f->alternate_end;
    bool target_on_it = target >= f->alternate_begin && target < f->alternate_end;
    if (on_alternate && !target_on_it)
      outermost = f;
    else if (target > (uintptr_t)f)
      outermost = f;
  }
  if (outermost) abandon_signal_frames(outermost);
}

} // namespace
} // namespace dprof

using namespace dprof;

namespace {

int set_action(int number, const struct sigaction *action, struct sigaction *old,
               int (*next)(int, const struct sigaction *, struct sigaction *)) {
  if (is_of_another_process()) return next(number, action, old);
  if ((__builtin_expect(!recording, 1) && number > 0 && number < NSIG && !handlers[number].function) || number <= 0 ||
      number >= NSIG)
    return next(number, action, old);
  UserHandler before = handlers[number];
  struct sigaction ours;
  const struct sigaction *passed = action;
  if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
    ours = *action;
    handlers[number].function = action->sa_sigaction;
    handlers[number].wants_information = (action->sa_flags & SA_SIGINFO) != 0;
    ours.sa_sigaction = run_handler;
    ours.sa_flags |= SA_SIGINFO;
    passed = &ours;
  }
  struct sigaction found = {};
  int result = next(number, passed, &found);
  if (result) {
    handlers[number] = before;
    return result;
  }
  if (old) {
    *old = found;
    if (is_ours(found)) {
      old->sa_sigaction = before.function;
      if (!before.wants_information) old->sa_flags &= ~SA_SIGINFO;
    }
  }
  return result;
}

} // namespace

DPROF_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) noexcept {
  return set_action(number, action, old, real().sigaction);
}

#ifdef DPROF_MUSL

// musl's own ways: the first is its name for it, which signal() calls; the second takes the signals that it has for
// itself (of cancelled threads, for one), whose handlers are instrumented too.
extern "C" {
int __real___sigaction(int, const struct sigaction *, struct sigaction *);
int __real___libc_sigaction(int, const struct sigaction *, struct sigaction *);
int __wrap___sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  return set_action(number, action, old, __real___sigaction);
}
int __wrap___libc_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  return set_action(number, action, old, __real___libc_sigaction);
}
}

#else

namespace {

sighandler_t install(int number, sighandler_t handler, int flags, bool block_itself) {
  if (handler == SIG_ERR || number <= 0 || number >= NSIG) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (block_itself) sigaddset(&action.sa_mask, number);
  if (sigaction(number, &action, &old)) return SIG_ERR;
  return old.sa_handler;
}

} // namespace

DPROF_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
  return install(number, handler, SA_RESTART, true);
}
DPROF_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return install(number, handler, SA_RESTART, true);
}
DPROF_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return install(number, handler, SA_RESTART, true);
}
DPROF_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return install(number, handler, (int)SA_RESETHAND | SA_NODEFER, false);
}
DPROF_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return install(number, handler, (int)SA_RESETHAND | SA_NODEFER, false);
}

#endif

DPROF_EXPORT void longjmp(jmp_buf buffer, int value) noexcept {
  leave_frames_behind(buffer);
  real().longjmp(buffer, value);
}
DPROF_EXPORT void _longjmp(jmp_buf buffer, int value) noexcept {
  leave_frames_behind(buffer);
  real()._longjmp(buffer, value);
}
DPROF_EXPORT void siglongjmp(sigjmp_buf buffer, int value) noexcept {
  leave_frames_behind(buffer);
  real().siglongjmp(buffer, value);
}
#ifndef DPROF_MUSL
DPROF_EXPORT void __longjmp_chk(sigjmp_buf buffer, int value) noexcept {
  leave_frames_behind(buffer);
  real().longjmp_chk(buffer, value);
}
#endif
