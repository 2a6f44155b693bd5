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
  DPROF_SAMPLER_KEPT = 2,       // the thread's last free at the address did not happen
  DPROF_SAMPLER_PART = 3,       // ALLOCATE, by an allocator of the program's own
  DPROF_SAMPLER_FREE_PART = 4,  // FREE, by an allocator of the program's own
  DPROF_SAMPLER_MAP = 5,        // ALLOCATE, of whole pages
  DPROF_SAMPLER_UNMAP = 6,      // `bytes` at the address are unmapped
  DPROF_SAMPLER_THREAD = 7,     // a thread begins: address and bytes of its stack
  DPROF_SAMPLER_END_THREAD = 8, // a thread ends
  DPROF_SAMPLER_LOCALS = 9,     // where the thread has a module's thread-local variables; the site names the module
  DPROF_SAMPLER_EXEC = 10       // another program takes the place of this one
};

struct dprof_sampler_event {
  uint64_t time_ns; // CLOCK_MONOTONIC, after an allocation's call, before a free's; 0: the event is not complete yet
  uint64_t address;
  uint64_t bytes_cpu_kind; // 44 bits of bytes, 14 of CPU, 6 of dprof_sampler_event_kind
  // 17 bits: the call's index in `sites`, or all bits set if the table had no room. 15 bits: bytes from the address to
  // the type's first byte, or all bits set if that is unknown or too far.
  uint32_t site_offset;
  uint32_t thread;
};
#define DPROF_SAMPLER_BYTES_BITS 44
#define DPROF_SAMPLER_CPU_BITS 14
#define DPROF_SAMPLER_SITE_BITS 17
#define DPROF_SAMPLER_NO_SITE 0x1ffffu
#define DPROF_SAMPLER_OFFSET_UNKNOWN 0x7fffu

struct dprof_sampler_ring {
  uint64_t taken; // how many places the program has ever taken
  uint64_t reserved[7];
  uint64_t read; // how many events the sampler has ever read
  uint32_t room; // futex: changes when there is room again
  uint32_t reserved2[13];
  struct dprof_sampler_event events[DPROF_SAMPLER_RING_EVENTS];
};

enum dprof_sampler_request_kind {
  DPROF_SAMPLER_NOTHING = 0,
  DPROF_SAMPLER_ASK_SITE = 1, // say what the call `request_site` allocates
  DPROF_SAMPLER_BEGIN = 2     // a program begins: the first one, or one that another has executed in its place
};

struct dprof_sampler_control {
  uint32_t magic, version;
  uint32_t sampler_pid;
  uint32_t program_pid; // 0 until one comes
  uint32_t wake;        // futex of the sampler: 1 when there is a request, or a ring that is full
  uint32_t lock;        // futex of the program's threads: held by the one with the request
  uint32_t request;     // futex: back to NOTHING when the request is done
  uint32_t request_site;
  uint64_t request_bytes; // size of the allocation that the call `request_site` made
  uint32_t is_traced;     // 1: only a process that dprof-record has started counts
  uint32_t done;          // 1: nobody logs any more
  // counts
  uint64_t waits, waits_ns; // how often, and how long, threads waited for room in a ring
  uint64_t asks_ns;         // how long threads waited for the answer about a site
  uint64_t missed;          // allocations and frees in a signal handler that interrupted such a question
  uint32_t forks;           // forked children, which are left alone
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
