// Stage: runtime. The life of a process: environment -> session at start, fork, exit.
#include "process.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "interpose.h"
#include "mappings.h"
#include "memory.h"
#include "modules.h"
#include "musl.h"
#include "self_record.h"
#include "session.h"
#include "thread_log.h"
#include "windows.h"

extern "C" char **environ;
#ifndef DPROF_MUSL
extern "C" void *__libc_stack_end;
#endif

namespace dprof {

const char *find_environment(const char *name) {
  size_t length = text_length(name);
  for (char **entry = environ; entry && *entry; entry++) {
    size_t i = 0;
    while (i < length && (*entry)[i] == name[i]) i++;
    if (i == length && (*entry)[i] == '=') return *entry + length + 1;
  }
  return nullptr;
}

void replace_environment(const char *name, char *entry_text) {
  size_t length = text_length(name);
  for (char **entry = environ; entry && *entry; entry++) {
    size_t i = 0;
    while (i < length && (*entry)[i] == name[i]) i++;
    if (i == length && (*entry)[i] == '=') *entry = entry_text;
  }
}

namespace {

uintptr_t main_stack_begin, main_stack_end;

void find_main_stack() {
  rlimit limit = {};
  system_call(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
  uint64_t size = limit.rlim_cur == RLIM_INFINITY ? 8u << 20 : limit.rlim_cur;
#ifdef DPROF_MUSL
  const char *file = (const char *)getauxval(AT_EXECFN); // above all others
  uintptr_t end = file ? (uintptr_t)file + text_length(file) : (uintptr_t)__builtin_frame_address(0);
#else
  uintptr_t end = (uintptr_t)__libc_stack_end;
#endif
  for (char **entry = environ; entry && *entry; entry++)
    if ((uintptr_t)*entry > end) end = (uintptr_t)*entry + text_length(*entry);
  main_stack_end = (end + 4095) & ~(uintptr_t)4095;
  main_stack_begin = main_stack_end - size;
}

// The state of the fork under way. The C library lets several threads come this far at once.
struct Fork {
  ChildImage image;
  uint32_t modules; // published for the child
  uint64_t signal_mask;
};
Fork under_way;
uint32_t fork_lock = 0;

void before_fork() {
  if (!recording) return;
  uint64_t all = ~0ull, before = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all);
  take_lock(&fork_lock);
  hold_thread_starts();
  thread_log.flags |= THREAD_FORKING;
  under_way = {prepare_child_image(), 0, before};
  under_way.modules = publish_modules_for_child(under_way.image.number);
}

void finish_fork(bool in_child) {
  thread_log.flags &= ~THREAD_FORKING;
  child_is_forked(in_child);
  release_thread_starts();
  uint64_t mask = under_way.signal_mask;
  give_lock(&fork_lock);
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask);
}

void after_fork_in_parent() {
  if (!(thread_log.flags & THREAD_FORKING)) return;
  forget_child_image(under_way.image);
  finish_fork(false);
}

void after_fork_in_child() {
  if (!(thread_log.flags & THREAD_FORKING)) return;
  ThreadBirth birth = birth_of_this_thread(main_stack_begin, main_stack_end);
  uint64_t last_stamp = thread_log.last_stamp;
  thread_log = {};
  thread_log.last_stamp = last_stamp;
  __dprof_thread = {};
  if (reopen_session_after_fork(under_way.image, under_way.modules)) {
    birth.number = take_thread_number();
    birth.creator = 0;
    rejoin_windows();
    begin_thread(&birth);
    note_inherited_memory();
  } else {
    stop_recording();
  }
  finish_fork(true);
}

} // namespace

#ifdef DPROF_MUSL
// Its own code runs between the system call and what pthread_atfork knows.
long fork_recorded() {
  before_fork();
  long child = system_call(SYS_fork);
  if (child == 0)
    after_fork_in_child();
  else
    after_fork_in_parent();
  return child;
}
#endif

void note_exit(int status) {
  if (!recording || is_of_another_process()) return;
  finish_windows();
  if (session.image > 0 && can_log())
    log_release(DPROF_SYNC_PROCESS, session.process->pid); // whoever began it may wait
  session.process->exit_code = (uint32_t)status & 0xff;
  store(&session.process->exit_known, 1u);
}

void close_session() {
  if (!recording || !records_itself() || is_of_another_process()) return;
  stop_recording();
  session.process->state = DPROF_PROCESS_CLOSING;
  while (!load(&session.process->whole)) {
    wake_recorder();
    futex_wait(&session.process->whole, 0, 50);
    if (load(&session.control->alive[0]) & DPROF_SESSION_OWNER_DIED) break;
  }
}

namespace {

#ifndef DPROF_MUSL
// Registered before all other handlers, so it runs last: after the program's own handlers and all destructors.
void at_exit(int status, void *) {
  note_exit(status);
  close_session();
}
#endif

#ifdef DPROF_MUSL
// musl has no .preinit_array. The runtime is linked first, so this is the first of those with the priority of the
// modules' constructors.
void start();
__attribute__((section(".init_array.0"), used)) void (*const start_before_all)() = start;
#elif defined(DPROF_STATIC)
// In one object with the modules, whose constructors are the first: this comes before.
void start();
__attribute__((section(".preinit_array"), used)) void (*const start_before_all)() = start;
#else
__attribute__((constructor(101)))
#endif
void start() {
  ErrnoKept kept;
  resolve_real_functions();
  if (getauxval(AT_SECURE)) return;
  const char *directory = find_environment("DPROF_SESSION");
  if (!directory || !*directory) directory = start_own_recorder(find_environment("DPROF_OUT"));
  if (!directory || !open_session(directory)) return;
  count_modules_at_start();
  recording = true;
  start_windows();
  make_thread_end_key();
#ifndef DPROF_MUSL
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  on_exit(at_exit, nullptr);
#endif
  find_main_stack();
  ThreadBirth birth = {take_thread_number(), 0, main_stack_begin, main_stack_end};
  begin_thread(&birth);
  note_inherited_memory();
}

} // namespace

} // namespace dprof
