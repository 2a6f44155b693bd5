// Stage: runtime. Threads of glibc's: numbers in creation order, THREAD_CREATE / THREAD_START / THREAD_END. musl's are
// in musl_threads.cc.
#include <limits.h>

#include "interpose.h"
#include "real.h"
#include "start_list.h"
#include "thread_numbers.h"

namespace dprof {
namespace {

// The data that a thread needs before its own code runs. Records come from a list of their own, not from the program's
// heap.
struct Start {
  void *(*routine)(void *); // one of the two
  thrd_start_t c11_routine;
  void *argument;
  ThreadBirth birth;
  size_t stack_bytes;
  uintptr_t stack_begin; // given by the program; 0: the library's choice
  sigset_t signal_mask;  // to be set once the thread is set up; until then it takes no signals
  Start *next;
};
StartList<Start> starts;

// The C library puts its thread descriptor at the upper end of a stack that it maps itself.
uintptr_t upper_end_of_stack() {
#if defined(__x86_64__)
  constexpr uintptr_t descriptor_bytes = 2304;
#else
  constexpr uintptr_t descriptor_bytes = 0;
#endif
  return ((uintptr_t)pthread_self() + descriptor_bytes + 4095) & ~(uintptr_t)4095;
}

// The new thread announces itself.
void arrive(Start *start) {
  ThreadBirth birth = start->birth;
  birth.stack_begin = start->stack_begin ? start->stack_begin : upper_end_of_stack() - start->stack_bytes;
  birth.stack_end = birth.stack_begin + start->stack_bytes;
  sigset_t signal_mask = start->signal_mask;
  starts.give_back(start);
  if (recording) {
    remember_number(pthread_self(), birth.number);
    begin_thread(&birth);
  }
  pthread_sigmask(SIG_SETMASK, &signal_mask, nullptr);
}

void *run(void *argument) {
  Start start = *(Start *)argument;
  arrive((Start *)argument);
  return start.routine(start.argument);
}

int run_c11(void *argument) {
  Start start = *(Start *)argument;
  arrive((Start *)argument);
  return start.c11_routine(start.argument);
}

pthread_key_t end_key;
bool end_key_made = false;

// Destructors run in up to four rounds; ours asks for another round until the last one.
void on_thread_end(void *value) {
  if (!thread_log.seat) return;
  uintptr_t round = (uintptr_t)value;
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(end_key, (void *)(round + 1));
  else
    end_thread();
}

} // namespace

void make_thread_end_key() {
  end_key_made = pthread_key_create(&end_key, on_thread_end) == 0;
  make_thread_numbers();
}

void arm_thread_end() {
  if (end_key_made) pthread_setspecific(end_key, (void *)1);
}

ThreadBirth birth_of_this_thread(uintptr_t main_stack_begin, uintptr_t main_stack_end) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (here >= main_stack_begin && here < main_stack_end) return {0, 0, main_stack_begin, main_stack_end};
  uintptr_t end = upper_end_of_stack();
  return {0, 0, (here & ~(uintptr_t)4095) < end ? here & ~(uintptr_t)4095 : 0, end};
}

void hold_thread_starts() { starts.hold(); }
void release_thread_starts() { starts.release(); }

} // namespace dprof

using namespace dprof;

namespace {

void find_stack(const pthread_attr_t *attributes, Start *start) {
  if (attributes) {
    void *stack = nullptr;
    if (pthread_attr_getstack(attributes, &stack, &start->stack_bytes)) start->stack_bytes = 0;
    uintptr_t begin = (uintptr_t)stack;
    // Without a stack of the program's own the call answers "0 minus size".
    if (stack && begin + start->stack_bytes > begin) start->stack_begin = begin;
    if (!start->stack_bytes) pthread_attr_getstacksize(attributes, &start->stack_bytes);
    return;
  }
  pthread_attr_t defaults;
  if (pthread_getattr_default_np(&defaults)) return;
  pthread_attr_getstacksize(&defaults, &start->stack_bytes);
  pthread_attr_destroy(&defaults);
}

// `really_create` makes the thread, and answers whether it did.
template <typename Create>
bool create(const pthread_t *thread, const pthread_attr_t *attributes, Start *start, Create really_create) {
  find_stack(attributes, start);
  if (!thread_log.seat) refill(1); // the creator has a number before its children
  start->birth.number = take_thread_number();
  start->birth.creator = thread_log.number;
  uint32_t number = start->birth.number;
  log_release(DPROF_SYNC_THREAD_CREATE, number);
  sigset_t all, before, wanted;
  bool has_own_mask = attributes && pthread_attr_getsigmask_np(attributes, &wanted) == 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  start->signal_mask = has_own_mask ? wanted : before;
  bool made = really_create();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (made) {
    remember_number(*thread, number);
  } else {
    starts.give_back(start);
    return_thread_number(number);
  }
  return made;
}

} // namespace

DPROF_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                                void *argument) noexcept {
  const RealFunctions &next = real();
  if (__builtin_expect(!can_log(), 1)) return next.pthread_create(thread, attributes, routine, argument);
  ErrnoKept kept;
  Start *start = starts.take();
  if (!start) return next.pthread_create(thread, attributes, routine, argument);
  *start = {};
  start->routine = routine;
  start->argument = argument;
  int error = 0;
  create(thread, attributes, start, [&] { return !(error = next.pthread_create(thread, attributes, run, start)); });
  return error;
}

DPROF_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument) {
  const RealFunctions &next = real();
  if (__builtin_expect(!can_log(), 1)) return next.thrd_create(thread, routine, argument);
  ErrnoKept kept;
  Start *start = starts.take();
  if (!start) return next.thrd_create(thread, routine, argument);
  *start = {};
  start->c11_routine = routine;
  start->argument = argument;
  int answer = thrd_success;
  create(thread, nullptr, start, [&] { return (answer = next.thrd_create(thread, run_c11, start)) == thrd_success; });
  return answer;
}
