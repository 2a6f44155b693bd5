// Stage: runtime, with a musl that records itself. Threads: numbers in creation order, THREAD_CREATE / THREAD_START /
// THREAD_END. All that musl does in a thread is recorded: from the first instruction behind the system call that makes
// it to the one that ends it.
#include <sched.h>

#include "interpose.h"
#include "musl.h"
#include "start_list.h"
#include "thread_numbers.h"

namespace dprof {
namespace {

// What a thread must know before its own code runs.
struct Start {
  int (*routine)(void *);
  void *argument;
  uintptr_t descriptor; // musl's, which pthread_t is; it lies above the stack
  ThreadBirth birth;
  Start *next;
};
StartList<Start> starts;

// A stack that musl maps ends on a page's end, behind the thread's variables and its descriptor.
void find_stack(Start *start) {
  Silenced silenced;
  pthread_attr_t attributes;
  void *begin = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np((pthread_t)start->descriptor, &attributes) ||
      pthread_attr_getstack(&attributes, &begin, &bytes))
    return;
  start->birth.stack_begin = (uintptr_t)begin;
  start->birth.stack_end = (uintptr_t)begin + bytes;
  uintptr_t end_of_map = (start->descriptor | 4095) + 1;
  if (start->descriptor >= start->birth.stack_end && end_of_map - start->birth.stack_end < bytes)
    start->birth.stack_end = end_of_map;
}

int run(void *argument) {
  Start start = *(Start *)argument;
  starts.give_back((Start *)argument);
  if (recording) {
    find_stack(&start);
    begin_thread(&start.birth);
  }
  return start.routine(start.argument);
}

} // namespace

void make_thread_end_key() { make_thread_numbers(); }
void arm_thread_end() {}

// It has its parent's stack, whatever thread that was.
ThreadBirth birth_of_this_thread(uintptr_t main_stack_begin, uintptr_t main_stack_end) {
  const dprof_session_seat *seat = thread_log.seat;
  if (!seat) return {0, 0, main_stack_begin, main_stack_end};
  return {0, 0, seat->owner[OWNER_STACK_BEGIN], seat->owner[OWNER_STACK_END]};
}

void hold_thread_starts() { starts.hold(); }
void release_thread_starts() { starts.release(); }

} // namespace dprof

using namespace dprof;

extern "C" {

int __real___clone(int (*)(void *), void *, int, void *, void *, void *, void *);
int __wrap___clone(int (*routine)(void *), void *stack, int flags, void *argument, void *thread, void *storage,
                   void *ended) {
  auto really = [&](int (*first)(void *), void *with) {
    return __real___clone(first, stack, flags, with, thread, storage, ended);
  };
  if (!can_log() || !(flags & CLONE_THREAD)) return really(routine, argument);
  Start *start = starts.take();
  if (!start) return really(routine, argument);
  if (!thread_log.seat) refill(1); // the creator has a number before its children
  uint32_t number = take_thread_number();
  *start = {routine, argument, (uintptr_t)storage, {number, thread_log.number, 0, 0}, nullptr};
  log_release(DPROF_SYNC_THREAD_CREATE, number);
  remember_number((pthread_t)storage, number);
  int result = really(run, start);
  if (result < 0) {
    starts.give_back(start);
    return_thread_number(number);
  }
  return result;
}

// The end of a detached thread, which gives back the stack that it runs on.
void __real___unmapself(void *, size_t);
void __wrap___unmapself(void *stack, size_t bytes) {
  end_thread();
  __real___unmapself(stack, bytes);
}
}
