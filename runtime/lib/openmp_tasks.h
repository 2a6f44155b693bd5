// Stage: runtime. Teams and tasks of OpenMP -> the objects at which their threads meet. docs/threads.md says which edge
// each construct makes.
//
// Objects are numbers: memory of the OpenMP runtime is used again for other teams and tasks, numbers are not.
#pragma once

#include <stdint.h>

#include "openmp_tools.h"

namespace dprof {

// What a team's number is followed by. Barriers and tasks have two objects in turn: see barriers.h.
enum TeamObject { TEAM_BARRIER = 0, TEAM_TASKS = 2, TEAM_FORK = 4, TEAM_LOOP = 5, TEAM_ORDERED = 6, TEAM_DOACROSS = 7 };
enum TaskObject { TASK_ITSELF = 0, TASK_CHILDREN = 1 };

struct TaskDependence {
  uint64_t address;
  bool writes;
  TaskDependence *next;
};

struct TaskGroup {
  uint64_t number;
  TaskGroup *next; // the one around it
};

// A task, or what one thread of a team does: its implicit task.
struct OpenMpTask {
  uint64_t number;
  uint64_t team;       // the number of its team
  uint64_t children;   // object at which its parent waits for it; 0: an implicit task
  uint64_t phase;      // object at which the team's next barrier waits for it
  uint64_t group;      // object at which a taskgroup waits for it; 0: none
  TaskGroup *groups;   // that it is in the middle of, the innermost first
  uint32_t barriers;   // of an implicit task: passed so far
  uint32_t threads;    // of an implicit task: of its team
  uint32_t dimensions; // of the doacross loop that it is in
  bool is_worker;      // an implicit task's thread is not the one that made the team
  bool is_untied, has_begun;
  bool is_dynamic;         // the loop that it is in hands out iterations as threads come
  bool has_reduction_lock; // it combines its values under a lock
  void (*combine)(void *, void *);
  TaskDependence *dependences;
  OpenMpTask *next;

  uint64_t barrier() const { return team + TEAM_BARRIER + (barriers & 1); }
  uint64_t tasks() const { return children ? phase : team + TEAM_TASKS + (barriers & 1); }
};

uint64_t take_openmp_number();
// Null: there is no memory.
OpenMpTask *take_task();
void give_back(OpenMpTask *task);
void add_dependence(OpenMpTask *task, uint64_t address, bool writes);
void enter_group(OpenMpTask *task);
void leave_group(OpenMpTask *task);
// The task that the calling thread is in; null: unknown, or nothing is recorded.
OpenMpTask *current_task();
void set_task_info(ompt::GetTaskInfo get);

} // namespace dprof
