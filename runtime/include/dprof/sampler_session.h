// Stage: program <-> sampler, while a program runs. One file, shared by mapping, whose path is in DPROF_SAMPLER.
//
// The library that is preloaded into the program (runtime/hardware/sampler/program) writes each allocation and free
// into a ring of events. It waits only when its ring is full, or when an allocation call is new: the type of its
// allocations is asked for once. A thread takes a place in a ring by adding to `taken`, so threads (there may be more
// of them than rings) and the signal handlers in between share it without a lock. An event is complete once its time is
// set, which is written last.
#ifndef DPROF_SAMPLER_SESSION_H
#define DPROF_SAMPLER_SESSION_H

#include <stdint.h>

#include "call_sites.h"

#define DPROF_SAMPLER_MAGIC 0x314d5044u /* "DPM1" */
#define DPROF_SAMPLER_VERSION 1u
#define DPROF_SAMPLER_RINGS 64u
#define DPROF_SAMPLER_RING_EVENTS 16384u /* a power of two */

enum dprof_sampler_event_kind {
  DPROF_SAMPLER_ALLOCATE = 0,
  DPROF_SAMPLER_FREE = 1,
  DPROF_SAMPLER_KEPT = 2, // the thread's last free at the address did not happen
  DPROF_SAMPLER_PART = 3, // as ALLOCATE, but memory that the program's own allocator has
  DPROF_SAMPLER_FREE_PART = 4,
  DPROF_SAMPLER_MAP = 5,    // as ALLOCATE, but whole pages
  DPROF_SAMPLER_UNMAP = 6,  // of `bytes`
  DPROF_SAMPLER_THREAD = 7, // a thread begins: address and bytes of its stack
  DPROF_SAMPLER_END_THREAD = 8,
  DPROF_SAMPLER_LOCALS = 9, // this thread's thread-local variables of a module; its site is of the module's address
  DPROF_SAMPLER_EXEC = 10   // another program in the place of this one
};

struct dprof_sampler_event {
  uint64_t time_ns; // CLOCK_MONOTONIC; 0: not there yet. Of an allocation behind the call, of a free before it
  uint64_t address;
  uint64_t bytes_cpu_kind; // 44 bits, 14, 6
  uint32_t site_offset;    // 17 bits: index in `sites`, all set: there was no room; 15: from the address to the type's
                           // first byte, all set: unknown, or too far
  uint32_t thread;
};
#define DPROF_SAMPLER_BYTES_BITS 44
#define DPROF_SAMPLER_CPU_BITS 14
#define DPROF_SAMPLER_SITE_BITS 17
#define DPROF_SAMPLER_NO_SITE 0x1ffffu
#define DPROF_SAMPLER_OFFSET_UNKNOWN 0x7fffu

struct dprof_sampler_ring {
  uint64_t taken; // places ever taken; by the program
  uint64_t reserved[7];
  uint64_t read; // events ever read; by the sampler
  uint32_t room; // futex: changes when there is room again
  uint32_t reserved2[13];
  struct dprof_sampler_event events[DPROF_SAMPLER_RING_EVENTS];
};

enum dprof_sampler_request_kind {
  DPROF_SAMPLER_NOTHING = 0,
  DPROF_SAMPLER_ASK_SITE = 1,
  DPROF_SAMPLER_BEGIN = 2 // a program begins: the first one, or one that another has executed in its place
};

struct dprof_sampler_control {
  uint32_t magic, version;
  uint32_t sampler_pid;
  uint32_t program_pid; // 0 until one comes
  uint32_t wake;        // futex of the sampler: 1 when there is a request, or a ring that is full
  uint32_t lock;        // futex of the program's threads: held by the one with the request
  uint32_t request;     // futex: back to NOTHING when it is done
  uint32_t request_site;
  uint64_t request_bytes; // size of its allocation
  uint32_t is_traced;     // only a process that dprof-record has started counts
  uint32_t done;          // 1: nobody logs any more
  // counts
  uint64_t waits, waits_ns; // for room in a ring
  uint64_t asks_ns;         // waits of threads for the answer about a site
  uint64_t missed;          // allocations and frees in a signal handler that interrupted such a question
  uint32_t forks;           // children, which are left alone
  uint32_t rings_refused;   // threads that share the first ring, because there was no memory for theirs
  uint32_t threads;
  uint32_t reserved;
  struct dprof_call_sites sites;
  struct dprof_sampler_ring rings[DPROF_SAMPLER_RINGS];
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_sampler_event) == 32, "dprof_sampler_event");
static_assert(DPROF_CALL_SITES <= DPROF_SAMPLER_NO_SITE, "dprof_sampler_event");
#endif

#endif
