// Stage: runtime. The parts that a thread's log and its windows share: the buffer under way, and the runtime's own
// words in a slot.
#pragma once

#include "thread_log.h"

namespace dprof {

// At least every thousand slots there is a stamp, however many of them are derived.
inline constexpr uint64_t words_between_stamps = 1000 / DPROF_SLOTS_PER_WORD;
inline constexpr uint64_t time_words = 3, lost_words = 2;

// Meanings of dprof_session_slot.owner.
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
static_assert(OWNER_CLEAN + DPROF_SESSION_BUFFERS <= sizeof(dprof_session_slot::owner) / sizeof(uint64_t),
              "dprof_session_slot.owner");

inline uint64_t *end_of(uint64_t *buffer) { return buffer + DPROF_SESSION_BUFFER_WORDS; }

// Words of the buffer from the cursor up to here are zero, except those that the thread is writing. A thread writes no
// further, and behind this, unless the buffer ends, there is at least one zero word.
inline uint64_t *clean_end_of(dprof_session_slot *slot, uint32_t buffer) {
  return buffer_of(slot, buffer) + slot->owner[OWNER_CLEAN + buffer];
}

inline uint64_t *cursor_of_log(dprof_session_slot *slot) {
  return thread_log.flags & THREAD_CLOSED ? (uint64_t *)slot->owner[OWNER_KEPT] : __dprof_thread.cursor;
}

inline void set_limit(uint64_t *limit) {
  __dprof_thread.limit = limit;
  if (thread_log.slot) thread_log.slot->owner[OWNER_LIMIT] = (uintptr_t)limit;
}

// Returns to the saved place.
inline void resume(dprof_thread_cursor place) {
  __dprof_thread.cursor = place.cursor;
  set_limit(place.limit);
}

// To be called before the limit changes.
inline void note_spent() {
  if (!thread_log.slot) return;
  uint64_t *owner = thread_log.slot->owner, limit = (uintptr_t)__dprof_thread.limit;
  if (limit < owner[OWNER_LIMIT]) owner[OWNER_SPENT] += owner[OWNER_LIMIT] - limit;
  owner[OWNER_LIMIT] = limit;
}

// Zeroes the old words that the buffer still holds, so that a limit up to `limit` may be set.
void clean_up_to(dprof_session_slot *slot, uint32_t buffer, uint64_t *limit);
void set_current(dprof_session_slot *slot, uint32_t buffer, uint32_t begin, uint32_t taking);
// False: the recorder is gone.
bool hand_over(dprof_session_slot *slot, uint32_t buffer, uint64_t begin, uint64_t end, uint32_t taking, bool last);
// Waits until the recorder gives a buffer back; NO_BUFFER if it never will.
uint32_t take_buffer(dprof_session_slot *slot);
// A fresh buffer becomes the thread's current one. False: recording is over.
bool move_to_fresh_buffer(dprof_session_slot *slot);
bool switch_buffer(dprof_session_slot *slot);

} // namespace dprof
