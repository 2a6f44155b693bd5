// Stage: runtime. Records of OpenMP's teams and tasks: taken, given back, and found for the calling thread. They are
// not from the program's heap, whose addresses stay as they are.
#include "openmp_tasks.h"

#include "start_list.h"

namespace dprof {
namespace {

StartList<OpenMpTask> tasks;
StartList<TaskDependence> dependences;
StartList<TaskGroup> groups;
uint64_t next_number = 8;
ompt::GetTaskInfo task_info = nullptr;

} // namespace

uint64_t take_openmp_number() { return fetch_add(&next_number, (uint64_t)8); }

OpenMpTask *take_task() {
  OpenMpTask *task = tasks.take();
  if (!task) return nullptr;
  *task = {};
  task->number = take_openmp_number();
  return task;
}

void give_back(OpenMpTask *task) {
  while (TaskDependence *first = task->dependences) {
    task->dependences = first->next;
    dependences.give_back(first);
  }
  while (task->groups) leave_group(task);
  tasks.give_back(task);
}

void add_dependence(OpenMpTask *task, uint64_t address, bool writes) {
  TaskDependence *added = dependences.take();
  if (!added) return;
  *added = {address, writes, task->dependences};
  task->dependences = added;
}

void enter_group(OpenMpTask *task) {
  TaskGroup *group = groups.take();
  if (!group) return;
  *group = {take_openmp_number(), task->groups};
  task->groups = group;
}

void leave_group(OpenMpTask *task) {
  TaskGroup *group = task->groups;
  if (!group) return;
  task->groups = group->next;
  groups.give_back(group);
}

OpenMpTask *current_task() {
  ompt::Data *task = nullptr;
  return task_info && task_info(0, nullptr, &task, nullptr, nullptr, nullptr) == 2 && task ? (OpenMpTask *)task->pointer
                                                                                           : nullptr;
}

void set_task_info(ompt::GetTaskInfo get) { task_info = get; }

} // namespace dprof
