// Stage: runtime. What the OpenMP runtime tells its tool (OMPT) -> RELEASE and ACQUIRE of teams and tasks.
//
// A callback stands where an event belongs: before a thread gives something to others, behind what it waited for. Locks
// are told of after they were given back, when others may have them already: interpose_openmp.cc has those. It has
// loops too: if a tool asks for them, libomp warns the user of code that flang compiled.
#include <dlfcn.h>

#include "interpose.h"
#include "openmp_runtime.h"
#include "openmp_tasks.h"

namespace dprof {
namespace {

OpenMpTask *task_of(const ompt::Data *task) { return task ? (OpenMpTask *)task->pointer : nullptr; }

void on_parallel_begin(ompt::Data *, const void *, ompt::Data *team, unsigned, int, const void *) {
  if (!can_log()) return;
  ErrnoKept kept;
  team->value = take_openmp_number();
  log_release(DPROF_SYNC_TEAM, team->value + TEAM_FORK);
}

void on_implicit_task(int endpoint, ompt::Data *team, ompt::Data *task, unsigned threads, unsigned index, int flags) {
  ErrnoKept kept;
  if (endpoint != ompt::BEGIN) {
    if (OpenMpTask *gone = task_of(task)) give_back(gone);
    task->pointer = nullptr;
    return;
  }
  OpenMpTask *begun = can_log() ? take_task() : nullptr;
  task->pointer = begun;
  if (!begun) return;
  bool was_forked = !(flags & ompt::TASK_INITIAL) && team && team->value;
  begun->team = was_forked ? team->value : take_openmp_number();
  begun->threads = threads;
  begun->is_worker = index > 0;
  if (was_forked) log_acquire(DPROF_SYNC_TEAM, begun->team + TEAM_FORK);
}

// A worker leaves the last barrier of a region when the next region begins, or its thread ends.
void on_barrier(int endpoint, bool is_left, OpenMpTask *task) {
  if (endpoint == ompt::BEGIN) return log_release(DPROF_SYNC_TEAM, task->barrier());
  if (is_left) {
    log_acquire(DPROF_SYNC_TEAM, task->barrier());
    log_acquire(DPROF_SYNC_TASK, task->tasks());
  }
  task->barriers++;
}

void on_sync_region(int kind, int endpoint, ompt::Data *, ompt::Data *data, const void *) {
  OpenMpTask *task = task_of(data);
  if (!task || !can_log()) return;
  ErrnoKept kept;
  switch (kind) {
    case ompt::TASKWAIT:
      if (endpoint == ompt::END) log_acquire(DPROF_SYNC_TASK, task->number + TASK_CHILDREN);
      break;
    case ompt::TASKGROUP:
      if (endpoint == ompt::BEGIN) {
        enter_group(task);
      } else {
        leave_group(task);
      }
      break;
    case ompt::REDUCTION: break;
    default: on_barrier(endpoint, kind != ompt::BARRIER_IMPLICIT_PARALLEL || !task->is_worker, task);
  }
}

// The values of a taskgroup's tasks are combined behind the wait, and before the region's end.
void on_sync_region_wait(int kind, int endpoint, ompt::Data *, ompt::Data *data, const void *) {
  OpenMpTask *task = task_of(data);
  if (kind != ompt::TASKGROUP || endpoint != ompt::END || !task || !task->groups || !can_log()) return;
  ErrnoKept kept;
  log_acquire(DPROF_SYNC_TASK, task->groups->number);
}

void on_task_create(ompt::Data *parent, const void *, ompt::Data *task, int flags, int, const void *) {
  if (flags & ompt::TASK_INITIAL) return;
  ErrnoKept kept;
  OpenMpTask *by = task_of(parent), *made = by && can_log() ? take_task() : nullptr;
  task->pointer = made;
  if (!made) return;
  made->team = by->team;
  made->children = by->number + TASK_CHILDREN;
  made->phase = by->tasks();
  made->group = by->groups ? by->groups->number : by->group;
  made->is_untied = flags & ompt::TASK_UNTIED;
  log_release(DPROF_SYNC_TASK, made->number);
}

void on_dependences(ompt::Data *data, const ompt::Dependence *list, int count) {
  OpenMpTask *task = task_of(data);
  if (!task || !task->children) return; // a doacross loop's: interpose_openmp.cc
  ErrnoKept kept;
  for (int i = 0; i < count; i++) add_dependence(task, (uintptr_t)list[i].variable.pointer, list[i].type != ompt::IN);
}

// Tasks that read at an address meet at the next one: they wait for those that write, and not for one another.
void acquire_dependences(const OpenMpTask *task) {
  for (TaskDependence *each = task->dependences; each; each = each->next) {
    log_acquire(DPROF_SYNC_TASK, each->address);
    if (each->writes) log_acquire(DPROF_SYNC_TASK, each->address + 1);
  }
}

void begin_or_resume(OpenMpTask *task) {
  if (!task->children) return;
  if (!task->has_begun || task->is_untied) log_acquire(DPROF_SYNC_TASK, task->number + TASK_ITSELF);
  if (!task->has_begun) acquire_dependences(task);
  task->has_begun = true;
}

void complete(OpenMpTask *task) {
  for (TaskDependence *each = task->dependences; each; each = each->next)
    log_release(DPROF_SYNC_TASK, each->address + (each->writes ? 0 : 1));
  log_release(DPROF_SYNC_TASK, task->children);
  log_release(DPROF_SYNC_TASK, task->phase);
  if (task->group) log_release(DPROF_SYNC_TASK, task->group);
}

void on_task_schedule(ompt::Data *from, int status, ompt::Data *to) {
  ErrnoKept kept;
  OpenMpTask *prior = task_of(from), *next = task_of(to);
  bool is_over = false;
  if (prior && prior->children) {
    bool logs = can_log();
    switch (status) {
      case ompt::LATE_FULFILL:
        if (logs) log_acquire(DPROF_SYNC_TASK, prior->number + TASK_ITSELF);
        [[fallthrough]];
      case ompt::COMPLETE:
      case ompt::CANCEL:
        if (logs) complete(prior);
        is_over = true;
        break;
      case ompt::TASKWAIT_COMPLETE:
        if (logs) acquire_dependences(prior);
        is_over = true;
        break;
      case ompt::DETACH:
        if (logs) log_release(DPROF_SYNC_TASK, prior->number + TASK_ITSELF);
        break;
      default:
        if (logs && prior->is_untied) log_release(DPROF_SYNC_TASK, prior->number + TASK_ITSELF);
    }
  }
  if (next && can_log()) begin_or_resume(next);
  if (!is_over) return;
  from->pointer = nullptr;
  give_back(prior);
}

int initialize(ompt::Lookup lookup, int, ompt::Data *) {
  auto set = (ompt::SetCallback)lookup("ompt_set_callback");
  auto task_info = (ompt::GetTaskInfo)lookup("ompt_get_task_info");
  if (!set || !task_info) return 0;
  set_task_info(task_info);
  set(ompt::PARALLEL_BEGIN, (ompt::Function)on_parallel_begin);
  set(ompt::IMPLICIT_TASK, (ompt::Function)on_implicit_task);
  set(ompt::SYNC_REGION, (ompt::Function)on_sync_region);
  set(ompt::SYNC_REGION_WAIT, (ompt::Function)on_sync_region_wait);
  set(ompt::TASK_CREATE, (ompt::Function)on_task_create);
  set(ompt::TASK_SCHEDULE, (ompt::Function)on_task_schedule);
  set(ompt::DEPENDENCES, (ompt::Function)on_dependences);
  return 1;
}

void finalize(ompt::Data *) {}

ompt::Tool tool = {initialize, finalize, {}};

} // namespace
} // namespace dprof

using namespace dprof;

// The OpenMP runtime calls this once, before its first region. A process that does not record leaves the place to
// another tool.
DPROF_EXPORT ompt::Tool *ompt_start_tool(unsigned version, const char *runtime) {
  if (can_log()) {
    find_openmp_code((uintptr_t)__builtin_return_address(0));
    return &tool;
  }
  auto next = (ompt::Tool * (*)(unsigned, const char *)) dlsym(RTLD_NEXT, "ompt_start_tool");
  return next ? next(version, runtime) : nullptr;
}
