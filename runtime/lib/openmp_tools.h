// Stage: runtime. The part of OMPT, OpenMP's interface for tools (OpenMP 5.2, chapters 19 and 20), that openmp_tool.cc
// needs. Declared here, so that a build needs no OpenMP.
#pragma once

#include <stdint.h>

namespace dprof::ompt {

union Data {
  uint64_t value;
  void *pointer;
};

enum Event {
  PARALLEL_BEGIN = 3,
  TASK_CREATE = 5,
  TASK_SCHEDULE = 6,
  IMPLICIT_TASK = 7,
  SYNC_REGION_WAIT = 16,
  DEPENDENCES = 18,
  SYNC_REGION = 23
};

enum Endpoint { BEGIN = 1, END = 2 };

enum SyncRegion {
  BARRIER = 1,
  BARRIER_IMPLICIT = 2,
  BARRIER_EXPLICIT = 3,
  BARRIER_IMPLEMENTATION = 4,
  TASKWAIT = 5,
  TASKGROUP = 6,
  REDUCTION = 7,
  BARRIER_IMPLICIT_WORKSHARE = 8,
  BARRIER_IMPLICIT_PARALLEL = 9,
  BARRIER_TEAMS = 10
};

enum TaskFlag { TASK_INITIAL = 1, TASK_TASKWAIT = 0x10, TASK_UNTIED = 0x10000000 };

enum TaskStatus {
  COMPLETE = 1,
  YIELD = 2,
  CANCEL = 3,
  DETACH = 4,
  EARLY_FULFILL = 5,
  LATE_FULFILL = 6,
  SWITCH = 7,
  TASKWAIT_COMPLETE = 8
};

enum DependenceType { IN = 1 };

struct Dependence {
  Data variable;
  int type;
};

using Function = void (*)();
using Lookup = Function (*)(const char *name);
using SetCallback = int (*)(int event, Function callback);
using GetTaskInfo = int (*)(int level, int *flags, Data **task, void **frame, Data **team, int *number);

struct Tool {
  int (*initialize)(Lookup lookup, int device, Data *own);
  void (*finalize)(Data *own);
  Data own;
};

} // namespace dprof::ompt
