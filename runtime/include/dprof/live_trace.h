// Stage: recorder -> replay, while a program runs. A trace in shared memory, in two files without names that both sides
// have open:
//
//   data      the bytes of a trace, at the offsets that they would have in a file
//   control   struct dprof_live_control, and slots for the words of RAW chunks
//
// Bytes of `data` that were read are cut out from below, and at most `capacity` unread bytes are there: it is a buffer
// that slides over the trace.
//
// There is one writer (the recorder) and one reader (the replay). Each sleeps on a word of its own and is woken only if
// it says that it sleeps.
#ifndef DPROF_LIVE_TRACE_H
#define DPROF_LIVE_TRACE_H

#include <stdint.h>

#define DPROF_LIVE_MAGIC 0x314c5044u /* "DPL1" */
#define DPROF_LIVE_VERSION 4u

enum dprof_live_over {
  DPROF_LIVE_OPEN = 0,   // more may come
  DPROF_LIVE_OVER = 1,   // no more will come
  DPROF_LIVE_NOTHING = 2 // no more will come, and the recorder keeps nothing of the trace
};

struct dprof_live_control {
  uint32_t magic;
  uint32_t version;
  uint64_t capacity; // most bytes from `released` to `written`; a chunk that is larger comes alone
  uint64_t written;  // up to here the recorder has written whole chunks
  uint64_t released; // up to here the reader needs no data any more, and it is gone
  uint32_t data;     // futex: the recorder adds 1 for a reader that sleeps
  uint32_t room;     // futex: the reader adds 1 for a recorder that sleeps
  uint32_t reader_sleeps;
  uint32_t writer_sleeps;
  uint32_t over;         // dprof_live_over
  uint32_t gone;         // 1: the reader wants no more
  uint64_t wanted;       // how many bytes the recorder wants to write, while it sleeps
  uint32_t hungry;       // 1: the reader has enough of some threads, and waits to hear of the others (DPROF_LIVE_QUIET)
  uint32_t raw;          // 1: the reader keeps nothing, and takes DPROF_LIVE_RAW chunks
  uint64_t raw_released; // of so many RAW chunks the reader needs the slots no more
  uint64_t steps;        // paths and runtime events in all chunks so far, for whoever tells the progress
  uint32_t reserved[10];
};

// A kind of chunk that is in no file. It has a dprof_live_quiet for each of some threads that are asleep or have ended,
// and comes behind all that these threads logged before.
#define DPROF_LIVE_QUIET 64u

enum dprof_live_next {
  DPROF_LIVE_ANYTHING = 0,
  DPROF_LIVE_ACQUIRE = 1, // an ACQUIRE of `object`, unless a signal handler comes in between or the call fails
  DPROF_LIVE_BLOCKED = 2, // a BLOCKED, unless a signal handler comes in between or the call fails
  DPROF_LIVE_NO_MORE = 3  // the thread has ended
};

struct dprof_live_quiet {
  uint64_t stamp; // whatever the thread logs from here on has larger stamps
  uint64_t object;
  uint32_t thread;
  uint8_t next;   // dprof_live_next: its next event
  uint8_t detail; // dprof_sync of the object
  uint8_t reserved[2];
};

// A kind of chunk that is in no file, in the place of an EVENTS chunk: the next steps of its thread, neither predicted
// nor compressed. Once a thread has one, all its further chunks are of this kind. The payload is a dprof_live_raw, then
// the events column as in an EVENTS chunk, but without LZ4, up to the payload's end. The words are in one of the
// DPROF_LIVE_SLOTS slots behind the control struct, in turn: the n-th RAW chunk of the trace, from 0, has slot n modulo
// DPROF_LIVE_SLOTS. The recorder writes there and the reader reads there, so the checksum does not cover them.
//
// In the words, a path is its number over the whole trace and its coded words; a runtime event is DPROF_LIVE_RAW_EVENT.
// The steps "path 21 (hexadecimal) with the words 2100 and 2140" and "TIME, stamp 3e8, CPU 2" are
//
//   payload  02 00 00 00  01 00 00 00  04 00 00 00 00 00 00 00     2 steps, 1 entry in the events column, 4 words
//            01 e8 07 02                                           TIME; stamp 3e8 - 0; cpu 2
//   slot     21 00 00 00 00 00 00 00                               path 21
//            00 21 00 00 00 00 00 00  40 21 00 00 00 00 00 00      2100, 2140
//            ff ff ff ff ff ff ff ff                               an event
#define DPROF_LIVE_RAW 65u
#define DPROF_LIVE_RAW_EVENT UINT64_MAX
#define DPROF_LIVE_SLOTS 16u
#define DPROF_LIVE_SLOT_WORDS (64u * 1024 + 1024) /* a chunk fills about half of it */
#define DPROF_LIVE_SLOT_SLACK 8u                  /* words at its end that no chunk uses: readers read whole groups */
#define DPROF_LIVE_SLOTS_OFFSET 4096u             /* in the control file */
#define DPROF_LIVE_CONTROL_BYTES (DPROF_LIVE_SLOTS_OFFSET + DPROF_LIVE_SLOTS * DPROF_LIVE_SLOT_WORDS * 8u)

struct dprof_live_raw {
  uint32_t steps;  // paths and runtime events
  uint32_t events; // entries of the events column
  uint64_t words;
};

#ifdef __cplusplus
static_assert(sizeof(struct dprof_live_raw) == 16, "dprof_live_raw");
static_assert(sizeof(struct dprof_live_control) == 128, "dprof_live_control");
static_assert(sizeof(struct dprof_live_quiet) == 24, "dprof_live_quiet");
#endif

#endif
