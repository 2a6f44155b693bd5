// Stage: program, preloaded. Threads: each announces itself before its own code runs, and retires behind its last
// destructor.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "../../lib/memory.h"
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
Start *free_starts = nullptr;
uint32_t starts_lock = 0;

// Not from the program's heap, whose addresses stay as they are.
Start *take_start() {
  Locked locked(starts_lock);
  if (!free_starts) {
    constexpr size_t batch = 65536;
    Start *fresh = (Start *)map_far_away(batch, -1);
    if (!fresh) return nullptr;
    for (size_t i = 0; i < batch / sizeof(Start); i++) {
      fresh[i].next = free_starts;
      free_starts = &fresh[i];
    }
  }
  Start *start = free_starts;
  free_starts = start->next;
  return start;
}

void give_back(Start *start) {
  Locked locked(starts_lock);
  start->next = free_starts;
  free_starts = start;
}

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
  give_back((Start *)argument);
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
  Start *start = listening ? take_start() : nullptr;
  if (!start) return next(thread, attributes, routine, argument);
  *start = {routine, nullptr, argument, nullptr};
  int error = next(thread, attributes, run, start);
  if (error) give_back(start);
  return error;
}

DPROF_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument) {
  static decltype(&thrd_create) next = (decltype(&thrd_create))dlsym(RTLD_NEXT, "thrd_create");
  Start *start = listening ? take_start() : nullptr;
  if (!start) return next(thread, routine, argument);
  *start = {nullptr, routine, argument, nullptr};
  int answer = next(thread, run_c11, start);
  if (answer != thrd_success) give_back(start);
  return answer;
}
