// Stage: runtime. A thread's buffers: taken, cleaned ahead of the thread, handed over to the recorder in pieces.
#include "log_buffer.h"

#include <errno.h>

#include "memory.h"
#include "session.h"

namespace dprof {
namespace {

uint32_t find_free_buffer(dprof_session_seat *seat) {
  for (uint32_t b = 0; b < DPROF_SESSION_BUFFERS; b++)
    if (!load(&seat->buffer_busy[b])) return b;
  return DPROF_SESSION_NO_BUFFER;
}

} // namespace

void clean_up_to(dprof_session_seat *seat, uint32_t buffer, uint64_t *limit) {
  uint64_t *end = end_of(buffer_of(seat, buffer)), *to = limit < end ? limit + 1 : end,
           *from = clean_end_of(seat, buffer);
  for (uint64_t *p = from; p < to; p++) *p = 0;
  if (from < to) seat->owner[OWNER_CLEAN + buffer] += (uint64_t)(to - from);
}

void set_current(dprof_session_seat *seat, uint32_t buffer, uint32_t begin, uint32_t taking) {
  store(&seat->current_buffer, DPROF_SESSION_NO_BUFFER);
  store(&seat->current_begin, begin);
  store(&seat->current_taking, taking);
  store(&seat->current_buffer, buffer);
}

bool hand_over(dprof_session_seat *seat, uint32_t buffer, uint64_t begin, uint64_t end, uint32_t taking, bool last) {
  while (seat->pushed - load(&seat->popped) >= DPROF_SESSION_PIECES) {
    uint32_t seen = load(&seat->returned);
    if (seat->pushed - load(&seat->popped) < DPROF_SESSION_PIECES) break;
    wake_recorder();
    futex_wait(&seat->returned, seen, 50);
    if (!recorder_is_there()) return false;
  }
  seat->pieces[seat->pushed % DPROF_SESSION_PIECES] = {buffer, (uint32_t)begin, (uint32_t)end,
                                                       taking << 1 | (last ? DPROF_PIECE_LAST : 0u)};
  store(&seat->pushed, seat->pushed + 1);
  wake_recorder();
  return true;
}

uint32_t take_buffer(dprof_session_seat *seat) {
  uint32_t buffer;
  while ((buffer = find_free_buffer(seat)) == DPROF_SESSION_NO_BUFFER) {
    uint32_t seen = load(&seat->returned);
    if (find_free_buffer(seat) != DPROF_SESSION_NO_BUFFER) continue;
    wake_recorder();
    futex_wait(&seat->returned, seen, 50);
    if (!recorder_is_there()) return DPROF_SESSION_NO_BUFFER;
  }
  if (!(seat->owner[OWNER_POPULATED] >> buffer & 1)) {
    if (!populate(buffer_of(seat, buffer), DPROF_SESSION_BUFFER_WORDS * sizeof(uint64_t))) {
      store<uint32_t>(&session.process->stopped, ENOSPC);
      report_failure(ENOSPC);
      return DPROF_SESSION_NO_BUFFER;
    }
    seat->owner[OWNER_POPULATED] |= 1ull << buffer;
  }
  store(&seat->buffer_busy[buffer], 1u);
  seat->owner[OWNER_CLEAN + buffer] = 0;
  clean_up_to(seat, buffer, buffer_of(seat, buffer) + words_between_stamps);
  return buffer;
}

bool move_to_fresh_buffer(dprof_session_seat *seat) {
  uint32_t buffer = take_buffer(seat);
  if (buffer == DPROF_SESSION_NO_BUFFER) {
    stop_recording();
    return false;
  }
  set_current(seat, buffer, 0, (uint32_t)++seat->owner[OWNER_TAKINGS]);
  __dprof_thread.cursor = buffer_of(seat, buffer);
  return true;
}

bool switch_buffer(dprof_session_seat *seat) {
  SignalsBlocked blocked;
  uint64_t *base = buffer_of(seat, seat->current_buffer);
  uint64_t unseen = (uintptr_t)__dprof_thread.cursor - seat->owner[OWNER_SEEN];
  if (!hand_over(seat, seat->current_buffer, seat->current_begin, (uint64_t)(__dprof_thread.cursor - base),
                 seat->current_taking, true)) {
    stop_recording();
    return false;
  }
  if (!move_to_fresh_buffer(seat)) return false;
  // A closed thread's paths are elsewhere.
  if (unseen <= DPROF_SESSION_BUFFER_WORDS * sizeof(uint64_t))
    seat->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor - unseen;
  return true;
}

} // namespace dprof
