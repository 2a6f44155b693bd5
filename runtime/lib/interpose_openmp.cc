// Stage: runtime. OpenMP's locks, critical and ordered regions, loops, reductions -> RELEASE before the operation,
// ACQUIRE after it. Instrumented code calls these; in a program without OpenMP nobody does.
#include <dlfcn.h>

#include "interpose.h"
#include "openmp_tasks.h"

namespace dprof {
namespace {

// A module that was loaded with an OpenMP runtime of its own finds our functions, but RTLD_NEXT does not find its.
void *find_real(const char *name) {
  if (void *found = dlsym(RTLD_NEXT, name)) return found;
  const char *const libraries[] = {"libomp.so.5", "libomp.so", "libiomp5.so", "libgomp.so.1"};
  for (const char *library : libraries)
    if (void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void *found = dlsym(handle, name)) return found;
  __builtin_trap(); // whoever calls it was linked with a library that has it
}

template <typename Function> Function real_of(Function *cache, const char *name) {
  Function found = load(cache);
  if (!found) store(cache, found = (Function)find_real(name));
  return found;
}

void log_lock(bool takes, const void *lock) {
  if (!can_log()) return;
  ErrnoKept kept;
  if (takes)
    log_acquire(DPROF_SYNC_MUTEX, (uintptr_t)lock);
  else
    log_release(DPROF_SYNC_MUTEX, (uintptr_t)lock);
}

void log_team(bool takes, uint64_t object) {
  if (!can_log()) return;
  ErrnoKept kept;
  if (takes)
    log_acquire(DPROF_SYNC_TEAM, object);
  else
    log_release(DPROF_SYNC_TEAM, object);
}

// Values of a large team are combined inside a barrier, by threads that wait there for others.
void combine(void *into, void *from) {
  OpenMpTask *task = current_task();
  log_team(true, task->barrier());
  task->combine(into, from);
  log_team(false, task->barrier());
}

// An iteration's object: a number of 46 bits, above all that are taken. Two iterations hardly ever have the same; if
// they do, one waits for a step that had been done before it anyway.
uint64_t iteration_object(const OpenMpTask *task, const int64_t *iteration) {
  uint64_t hash = task->team;
  for (uint32_t i = 0; i < task->dimensions; i++) hash = (hash ^ (uint64_t)iteration[i]) * 0x9e3779b97f4a7c15;
  return hash >> 18 | 1ull << 45 | TEAM_DOACROSS;
}

// Whether threads take the loop's iterations as they come: kmp.h's sched_type, without ordered, nomerge and modifiers.
bool is_dynamic(int schedule) {
  constexpr int modifiers = 1 << 29 | 1 << 30, static_chunked = 33, static_whole = 34, runtime = 37, static_greedy = 40,
                static_balanced = 41, static_balanced_chunked = 45, runtime_simd = 47;
  int kind = schedule & ~modifiers;
  kind -= kind > 192 ? 160 : kind > 160 ? 128 : kind > 64 ? 32 : 0;
  if (kind == runtime || kind == runtime_simd) {
    static void (*cache)(int *, int *) = nullptr;
    int asked = 0, chunk = 0;
    real_of(&cache, "omp_get_schedule")(&asked, &chunk);
    return (asked & 0xff) != 1; // static
  }
  return kind != static_chunked && kind != static_whole && kind != static_greedy && kind != static_balanced &&
         kind != static_balanced_chunked;
}

void begin_loop(int schedule) {
  if (OpenMpTask *task = can_log() ? current_task() : nullptr) task->is_dynamic = is_dynamic(schedule);
}

// Iterations are handed out by an atomic update.
void log_iterations() {
  OpenMpTask *task = can_log() ? current_task() : nullptr;
  if (!task || !task->is_dynamic) return;
  ErrnoKept kept;
  log_words<true>(DPROF_EVENT_BOTH, DPROF_SYNC_TEAM, task->team + TEAM_LOOP);
}

using Combine = void (*)(void *, void *);
using Reduce = int (*)(void *, int, int, size_t, void *, Combine, void *);

int reduce(Reduce next, void *place, int thread, int count, size_t bytes, void *values, Combine function, void *lock) {
  OpenMpTask *task = can_log() ? current_task() : nullptr;
  if (!task) return next(place, thread, count, bytes, values, function, lock);
  uint32_t barriers = task->barriers;
  task->combine = function;
  int way = next(place, thread, count, bytes, values, combine, lock);
  // 1: combine them now. Either under a lock, or nobody else has any, or the others' came in at the barrier.
  task->has_reduction_lock = way == 1 && task->threads > 1 && task->barriers == barriers;
  if (task->has_reduction_lock) log_lock(true, lock);
  return way;
}

void end_reduce(void *lock) {
  OpenMpTask *task = can_log() ? current_task() : nullptr;
  if (!task || !task->has_reduction_lock) return;
  task->has_reduction_lock = false;
  log_lock(false, lock);
}

} // namespace
} // namespace dprof

using namespace dprof;

#define DPROF_REAL(name)                                                                                               \
  static decltype(&::name) cache = nullptr;                                                                            \
  auto next = real_of(&cache, #name)

#define DPROF_OPENMP_TAKE(name)                                                                                        \
  DPROF_EXPORT void name(void *lock) {                                                                                 \
    DPROF_REAL(name);                                                                                                  \
    next(lock);                                                                                                        \
    log_lock(true, lock);                                                                                              \
  }
#define DPROF_OPENMP_TRY(name)                                                                                         \
  DPROF_EXPORT int name(void *lock) {                                                                                  \
    DPROF_REAL(name);                                                                                                  \
    int taken = next(lock);                                                                                            \
    if (taken) log_lock(true, lock);                                                                                   \
    return taken;                                                                                                      \
  }
#define DPROF_OPENMP_GIVE(name)                                                                                        \
  DPROF_EXPORT void name(void *lock) {                                                                                 \
    DPROF_REAL(name);                                                                                                  \
    log_lock(false, lock);                                                                                             \
    next(lock);                                                                                                        \
  }
// Fortran's names end in an underscore.
#define DPROF_OPENMP_LOCK(kind)                                                                                        \
  DPROF_OPENMP_TAKE(omp_set_##kind)                                                                                    \
  DPROF_OPENMP_TAKE(omp_set_##kind##_)                                                                                 \
  DPROF_OPENMP_TRY(omp_test_##kind)                                                                                    \
  DPROF_OPENMP_TRY(omp_test_##kind##_)                                                                                 \
  DPROF_OPENMP_GIVE(omp_unset_##kind)                                                                                  \
  DPROF_OPENMP_GIVE(omp_unset_##kind##_)

DPROF_OPENMP_LOCK(lock)
DPROF_OPENMP_LOCK(nest_lock)

DPROF_EXPORT void __kmpc_critical(void *place, int thread, void *lock) {
  DPROF_REAL(__kmpc_critical);
  next(place, thread, lock);
  log_lock(true, lock);
}

DPROF_EXPORT void __kmpc_critical_with_hint(void *place, int thread, void *lock, uint32_t hint) {
  DPROF_REAL(__kmpc_critical_with_hint);
  next(place, thread, lock, hint);
  log_lock(true, lock);
}

DPROF_EXPORT void __kmpc_end_critical(void *place, int thread, void *lock) {
  DPROF_REAL(__kmpc_end_critical);
  log_lock(false, lock);
  next(place, thread, lock);
}

DPROF_EXPORT void __kmpc_ordered(void *place, int thread) {
  DPROF_REAL(__kmpc_ordered);
  next(place, thread);
  if (OpenMpTask *task = can_log() ? current_task() : nullptr) log_team(true, task->team + TEAM_ORDERED);
}

DPROF_EXPORT void __kmpc_end_ordered(void *place, int thread) {
  DPROF_REAL(__kmpc_end_ordered);
  if (OpenMpTask *task = can_log() ? current_task() : nullptr) log_team(false, task->team + TEAM_ORDERED);
  next(place, thread);
}

DPROF_EXPORT int __kmpc_reduce(void *place, int thread, int count, size_t bytes, void *values,
                               void (*function)(void *, void *), void *lock) {
  DPROF_REAL(__kmpc_reduce);
  return reduce(next, place, thread, count, bytes, values, function, lock);
}

DPROF_EXPORT int __kmpc_reduce_nowait(void *place, int thread, int count, size_t bytes, void *values,
                                      void (*function)(void *, void *), void *lock) {
  DPROF_REAL(__kmpc_reduce_nowait);
  return reduce(next, place, thread, count, bytes, values, function, lock);
}

DPROF_EXPORT void __kmpc_end_reduce(void *place, int thread, void *lock) {
  DPROF_REAL(__kmpc_end_reduce);
  end_reduce(lock);
  next(place, thread, lock);
}

DPROF_EXPORT void __kmpc_end_reduce_nowait(void *place, int thread, void *lock) {
  DPROF_REAL(__kmpc_end_reduce_nowait);
  end_reduce(lock);
  next(place, thread, lock);
}

#define DPROF_OPENMP_LOOP(suffix, Number, Step)                                                                        \
  DPROF_EXPORT void __kmpc_dispatch_init_##suffix(void *place, int thread, int schedule, Number first, Number last,    \
                                                  Step step, Step chunk) {                                             \
    DPROF_REAL(__kmpc_dispatch_init_##suffix);                                                                         \
    begin_loop(schedule);                                                                                              \
    next(place, thread, schedule, first, last, step, chunk);                                                           \
  }                                                                                                                    \
  DPROF_EXPORT int __kmpc_dispatch_next_##suffix(void *place, int thread, int *is_last, Number *first, Number *last,   \
                                                 Step *step) {                                                         \
    DPROF_REAL(__kmpc_dispatch_next_##suffix);                                                                         \
    int is_more = next(place, thread, is_last, first, last, step);                                                     \
    if (is_more) log_iterations();                                                                                     \
    return is_more;                                                                                                    \
  }
DPROF_OPENMP_LOOP(4, int32_t, int32_t)
DPROF_OPENMP_LOOP(4u, uint32_t, int32_t)
DPROF_OPENMP_LOOP(8, int64_t, int64_t)
DPROF_OPENMP_LOOP(8u, uint64_t, int64_t)

DPROF_EXPORT void __kmpc_doacross_init(void *place, int thread, int dimensions, const void *bounds) {
  DPROF_REAL(__kmpc_doacross_init);
  if (OpenMpTask *task = can_log() ? current_task() : nullptr) task->dimensions = (uint32_t)dimensions;
  next(place, thread, dimensions, bounds);
}

DPROF_EXPORT void __kmpc_doacross_post(void *place, int thread, const int64_t *iteration) {
  DPROF_REAL(__kmpc_doacross_post);
  if (OpenMpTask *task = can_log() ? current_task() : nullptr) log_team(false, iteration_object(task, iteration));
  next(place, thread, iteration);
}

DPROF_EXPORT void __kmpc_doacross_wait(void *place, int thread, const int64_t *iteration) {
  DPROF_REAL(__kmpc_doacross_wait);
  next(place, thread, iteration);
  if (OpenMpTask *task = can_log() ? current_task() : nullptr) log_team(true, iteration_object(task, iteration));
}
