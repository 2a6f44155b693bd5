// Stage: program <-> history collector, while a program runs. One file, shared by mapping, whose path is in
// DPROF_HISTORIES.
//
// The library that is preloaded into the program (runtime/hardware/histories/program) sees allocations and frees, and
// decides nothing that takes long: it looks the caller's return address up here, draws, and asks. The collector
// (runtime/hardware/histories/collector), its parent, has the debug registers: it opens them on each thread that
// announces itself, arms and releases them, and reads what they saw. The program's thread waits for the answer, so no
// other thread can have the object before its registers are armed, and it is not given back before they are released.
#ifndef DPROF_HISTORIES_SESSION_H
#define DPROF_HISTORIES_SESSION_H

#include <stdint.h>

#include "call_sites.h"

#define DPROF_HISTORIES_MAGIC 0x31485044u /* "DPH1" */
#define DPROF_HISTORIES_VERSION 2u
#define DPROF_HISTORIES_TYPES 64u
#define DPROF_HISTORIES_NEIGHBOURS 16384u /* a power of two */

enum dprof_histories_state {
  DPROF_HISTORIES_WAITING = 0, // no process has come yet
  DPROF_HISTORIES_TAKING = 1,  // histories are taken
  DPROF_HISTORIES_DONE = 2     // there are enough: no thread asks any more
};

enum dprof_histories_request_kind {
  DPROF_REQUEST_NONE = 0,
  DPROF_REQUEST_SITE = 1,      // say what the call `site` allocates
  DPROF_REQUEST_THREAD = 2,    // open registers on the calling thread
  DPROF_REQUEST_ARM = 3,       // watch the objects
  DPROF_REQUEST_RELEASE = 4,   // object 0 is about to be freed: stop watching
  DPROF_REQUEST_END_THREAD = 5 // the calling thread ends: close its registers
};

struct dprof_histories_object {
  uint64_t address, bytes;
  uint64_t site;  // return address of the allocation call
  uint64_t stamp; // time stamp counter when that call had returned
  uint64_t time_ns;
  uint32_t thread, cpu;
  uint32_t type;
  uint32_t offset;   // bytes from `address` to the type's first byte
  uint32_t is_array; // 1: an array of the type begins there
  uint32_t reserved;
};

// One request at a time: the thread that asks holds `lock`.
struct dprof_histories_request {
  uint32_t kind;    // futex: back to NONE when the request is done
  uint32_t thread;  // who asks
  uint32_t site;    // of SITE: the call's index in `sites`; `object[0].bytes` is the size of its allocation
  uint32_t objects; // 2: object 1 was there before, and shares a cache line with object 0
  struct dprof_histories_object object[2];
};

struct dprof_histories_control {
  uint32_t magic, version;
  uint32_t state;
  uint32_t collector_pid;
  uint32_t program_pid; // 0 until one comes
  uint32_t wake;        // futex of the collector: 1 when there is a request
  uint32_t lock;        // futex of the program's threads
  uint32_t is_traced;   // 1: only a process that dprof-record has started counts
  // settings
  uint64_t seed;
  uint32_t one_in;
  uint32_t share_lines;
  uint64_t least_gap_ns; // least time between the beginnings of two histories
  // Addresses of the objects that are being watched now, whose free ends the history; 0: none.
  uint64_t watched[2];
  uint64_t last_begin_ns;
  // Counts that the program makes, by type: all allocations, and those that were not watched, by reason.
  uint64_t allocations[DPROF_HISTORIES_TYPES];
  uint64_t busy[DPROF_HISTORIES_TYPES];      // the registers were taken
  uint64_t too_soon[DPROF_HISTORIES_TYPES];  // the history would have begun before the rate allows
  uint64_t not_drawn[DPROF_HISTORIES_TYPES]; // chance decided against it
  uint64_t alone[DPROF_HISTORIES_TYPES];     // with share_lines: no other object lies on one of its lines
  uint64_t misplaced[DPROF_HISTORIES_TYPES]; // the object's place in the allocation is unknown, or it does not fit
  // How long, and how often, threads of the program waited, by kind of request.
  uint64_t waits_ns[6];
  uint64_t waits[6];
  uint64_t type_bytes[DPROF_HISTORIES_TYPES]; // set before the first answer that names the type
  uint64_t allocation_calls;
  uint32_t forked_children; // children made by fork()
  uint32_t mappings;        // mappings of no file made by mmap(), and their bytes
  uint64_t mapped_bytes;
  struct dprof_histories_request request;
  struct dprof_call_sites sites;
};

#endif
