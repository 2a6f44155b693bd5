// Stage: recorder -> replay, while a program runs. A trace in shared memory, in two files without names that both sides have open:
//
//   data      the bytes of a trace, at the offsets that they would have in a file. What was read is cut out from below, what was not is never
//             more than `capacity`: a window that slides over the trace
//   control   struct dprof_live_control
//
// One writer (the recorder), one reader (the replay). Each sleeps on a word of its own and is woken only if it says that it sleeps.
#ifndef DPROF_LIVE_TRACE_H
#define DPROF_LIVE_TRACE_H

#include <stdint.h>

#define DPROF_LIVE_MAGIC 0x314c5044u /* "DPL1" */
#define DPROF_LIVE_VERSION 1u

enum dprof_live_over { DPROF_LIVE_OPEN = 0, DPROF_LIVE_OVER = 1, DPROF_LIVE_NOTHING = 2 }; // NOTHING: over, and the recorder keeps nothing of it

struct dprof_live_control {
  uint32_t magic;
  uint32_t version;
  uint64_t capacity; // bytes from `released` to `written` at most; a chunk that is larger comes alone
  uint64_t written;  // by the recorder: whole chunks
  uint64_t released; // by the reader: what lies before it is gone
  uint32_t data;     // futex: the recorder adds 1 for a reader that sleeps
  uint32_t room;     // futex: the reader adds 1 for a recorder that sleeps
  uint32_t reader_sleeps;
  uint32_t writer_sleeps;
  uint32_t over;     // dprof_live_over: no more will come
  uint32_t gone;     // 1: the reader wants no more
  uint64_t wanted;   // bytes that a recorder which sleeps wants to write
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_live_control) == 64, "dprof_live_control");
#endif

#endif
