// Stage: runtime. What a thread's log and its windows both know: the buffer under way, and what the runtime keeps in a
// seat for itself.
#pragma once

#include "thread_log.h"

namespace dprof {

// So that a stamp comes at least every thousand seats, however many of them are derived.
inline constexpr uint64_t words_between_stamps = 1000 / DPROF_SLOTS_PER_WORD;
inline constexpr uint64_t time_words = 3, lost_words = 2;

// Meanings of dprof_session_seat.owner.
enum {
  OWNER_SAVED_CURSOR,
  OWNER_POPULATED,
  OWNER_STACK_BEGIN,
  OWNER_STACK_END,
  OWNER_TAKINGS,
  OWNER_KEPT /* the cursor of a closed thread's log */,
  OWNER_SEEN /* the cursor when a path was last announced */,
  OWNER_SOFT /* the limit that watching for functions hides */,
  OWNER_DROPPED /* words of paths while closed, not yet logged */,
  OWNER_LIMIT /* the limit as the runtime last set it; loops that are recorded once have lowered it since, by the bytes
                 for which they stand */
  ,
  OWNER_SPENT /* bytes by which they lowered it, not yet announced */,
  OWNER_CLEAN /* one for each buffer */
};
static_assert(OWNER_CLEAN + DPROF_SESSION_BUFFERS <= sizeof(dprof_session_seat::owner) / sizeof(uint64_t),
              "dprof_session_seat.owner");

inline uint64_t *end_of(uint64_t *buffer) { return buffer + DPROF_SESSION_BUFFER_WORDS; }

// Words of the buffer from the cursor up to here are zero but for what the thread is writing; a thread writes no
// further, and behind it, unless the buffer ends, stays one zero word at least.
inline uint64_t *clean_end_of(dprof_session_seat *seat, uint32_t buffer) {
  return buffer_of(seat, buffer) + seat->owner[OWNER_CLEAN + buffer];
}

inline uint64_t *cursor_of_log(dprof_session_seat *seat) {
  return thread_log.flags & THREAD_CLOSED ? (uint64_t *)seat->owner[OWNER_KEPT] : __dprof_thread.cursor;
}

inline void set_limit(uint64_t *limit) {
  __dprof_thread.limit = limit;
  if (thread_log.seat) thread_log.seat->owner[OWNER_LIMIT] = (uintptr_t)limit;
}

// Returns to the saved place.
inline void resume(dprof_thread_cursor place) {
  __dprof_thread.cursor = place.cursor;
  set_limit(place.limit);
}

// To be called before the limit changes.
inline void note_spent() {
  if (!thread_log.seat) return;
  uint64_t *owner = thread_log.seat->owner, limit = (uintptr_t)__dprof_thread.limit;
  if (limit < owner[OWNER_LIMIT]) owner[OWNER_SPENT] += owner[OWNER_LIMIT] - limit;
  owner[OWNER_LIMIT] = limit;
}

// A limit up to `limit` may be set. What is there is what was in the buffer when it was given back.
void clean_up_to(dprof_session_seat *seat, uint32_t buffer, uint64_t *limit);
void set_current(dprof_session_seat *seat, uint32_t buffer, uint32_t begin, uint32_t taking);
// False: the recorder is gone.
bool hand_over(dprof_session_seat *seat, uint32_t buffer, uint64_t begin, uint64_t end, uint32_t taking, bool last);
// Waits for the recorder to give one back; NO_BUFFER when it never will.
uint32_t take_buffer(dprof_session_seat *seat);
// A fresh buffer becomes the thread's current one. False: recording is over.
bool move_to_fresh_buffer(dprof_session_seat *seat);
bool switch_buffer(dprof_session_seat *seat);

} // namespace dprof
