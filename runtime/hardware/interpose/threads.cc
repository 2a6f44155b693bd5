// Stage: program, preloaded. Threads: each announces itself before its own code runs, and retires behind its last
// destructor.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "../../lib/memory.h"
#include "../../lib/start_list.h"
#include "../../lib/system.h"
#include "sink.h"

using namespace dprof;

namespace {

struct Start {
  void *(*routine)(void *); // one of the two
  thrd_start_t c11_routine;
  void *argument;
  Start *next;
};
StartList<Start> starts;

pthread_key_t end_key;
bool end_key_made = false;

// Destructors run in up to four rounds; ours asks for another round until the last one.
void on_thread_end(void *value) {
  uintptr_t round = (uintptr_t)value;
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(end_key, (void *)(round + 1));
  else
    retire_thread();
}

__attribute__((constructor)) void make_key() { end_key_made = pthread_key_create(&end_key, on_thread_end) == 0; }

Start arrive(void *argument) {
  Start start = *(Start *)argument;
  starts.give_back((Start *)argument);
  announce_thread();
  if (end_key_made) pthread_setspecific(end_key, (void *)1);
  return start;
}

void *run(void *argument) {
  Start start = arrive(argument);
  return start.routine(start.argument);
}

int run_c11(void *argument) {
  Start start = arrive(argument);
  return start.c11_routine(start.argument);
}

} // namespace

DPROF_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                                void *argument) noexcept {
  static decltype(&pthread_create) next = (decltype(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
  Start *start = listening ? starts.take() : nullptr;
  if (!start) return next(thread, attributes, routine, argument);
  *start = {routine, nullptr, argument, nullptr};
  int error = next(thread, attributes, run, start);
  if (error) starts.give_back(start);
  return error;
}

DPROF_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument) {
  static decltype(&thrd_create) next = (decltype(&thrd_create))dlsym(RTLD_NEXT, "thrd_create");
  Start *start = listening ? starts.take() : nullptr;
  if (!start) return next(thread, routine, argument);
  *start = {nullptr, routine, argument, nullptr};
  int answer = next(thread, run_c11, start);
  if (answer != thrd_success) starts.give_back(start);
  return answer;
}
