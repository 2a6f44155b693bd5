// Stage: recorder -> replay, while a program runs. A trace in shared memory, in two files without names that both sides
// have open:
//
//   data      the bytes of a trace, at the offsets that they would have in a file. What was read is cut out from below,
//   what was not is never
//             more than `capacity`: a buffer that slides over the trace
//   control   struct dprof_live_control
//
// One writer (the recorder), one reader (the replay). Each sleeps on a word of its own and is woken only if it says
// that it sleeps.
#ifndef DPROF_LIVE_TRACE_H
#define DPROF_LIVE_TRACE_H

#include <stdint.h>

#define DPROF_LIVE_MAGIC 0x314c5044u /* "DPL1" */
#define DPROF_LIVE_VERSION 2u

enum dprof_live_over {
  DPROF_LIVE_OPEN = 0,
  DPROF_LIVE_OVER = 1,
  DPROF_LIVE_NOTHING = 2
}; // NOTHING: over, and the recorder keeps nothing of it

struct dprof_live_control {
  uint32_t magic;
  uint32_t version;
  uint64_t capacity; // bytes from `released` to `written` at most; a chunk that is larger comes alone
  uint64_t written;  // by the recorder: whole chunks
  uint64_t released; // by the reader: the data before it is gone
  uint32_t data;     // futex: the recorder adds 1 for a reader that sleeps
  uint32_t room;     // futex: the reader adds 1 for a recorder that sleeps
  uint32_t reader_sleeps;
  uint32_t writer_sleeps;
  uint32_t over;   // dprof_live_over: no more will come
  uint32_t gone;   // 1: the reader wants no more
  uint64_t wanted; // bytes that a recorder which sleeps wants to write
  uint32_t hungry; // 1: the reader has no use for more of threads that it knows enough of: it wants to hear of the
                   // others (DPROF_LIVE_QUIET)
  uint32_t reserved[15];
};

// A kind of chunk that is in no file: a dprof_live_quiet each, of threads that are asleep or have ended, behind all
// that they logged before.
#define DPROF_LIVE_QUIET 64u

enum dprof_live_next {
  DPROF_LIVE_ANYTHING = 0,
  DPROF_LIVE_ACQUIRE = 1, // an ACQUIRE of `object`, unless a signal handler comes in between or the call fails
  DPROF_LIVE_BLOCKED = 2, // a BLOCKED, likewise
  DPROF_LIVE_NO_MORE = 3  // the thread has ended
};

struct dprof_live_quiet {
  uint64_t stamp; // whatever the thread logs from here on has larger ones
  uint64_t object;
  uint32_t thread;
  uint8_t next;   // dprof_live_next: its next event
  uint8_t detail; // dprof_sync of the object
  uint8_t reserved[2];
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_live_control) == 128, "dprof_live_control");
static_assert(sizeof(struct dprof_live_quiet) == 24, "dprof_live_quiet");
#endif

#endif
