// Stage: runtime. Records and events of one thread -> pieces for the recorder: room, back-pressure, thread begin and
// end.
#include "thread_log.h"

#include <errno.h>

#include "interpose.h"
#include "log_buffer.h"
#include "memory.h"
#include "modules.h"
#include "session.h"
#include "windows.h"

extern "C"
    __attribute__((visibility("default"), tls_model("initial-exec"))) __thread dprof_thread_cursor __dprof_thread = {};

namespace dprof {

__thread ThreadLog thread_log = {};
bool recording = false;

static_assert(sizeof(dprof_thread_cursor) + sizeof(ThreadLog) <= 64, "static thread-local storage is scarce");

namespace {

uint64_t scratch[DPROF_SESSION_BUFFER_WORDS];

// If the stack ends within this depth, this must fault here, before anything is half done: then it is the program's own
// overflow, for its own handler. The tested depth is less than the runtime needs from here on. A signal stack, which
// may be short and has none of our memory behind it, is not tested.
void probe_stack() {
  constexpr uintptr_t needed = 1024;
  (void)*((volatile char *)__builtin_frame_address(0) - needed);
}

dprof_session_seat *claim_seat() {
  uint32_t count = session.process->seats;
  for (int round = 0; round < 40; round++) {
    uint32_t seen = load(&session.control->wake);
    for (uint32_t i = 0; i < count; i++) {
      if (!populate_seat(i)) {
        store<uint32_t>(&session.process->stopped, ENOSPC);
        report_failure(ENOSPC);
        stop_recording();
        return nullptr;
      }
      dprof_session_seat *seat = &session.seats[i];
      if (load(&seat->state) != DPROF_SEAT_FREE ||
          !swap_if<uint32_t>(&seat->state, DPROF_SEAT_FREE, DPROF_SEAT_STARTING))
        continue;
      uint32_t used = load(&session.process->seats_used);
      while (used < i + 1 && !swap_if(&session.process->seats_used, used, i + 1))
        used = load(&session.process->seats_used);
      return seat;
    }
    wake_recorder();
    futex_wait(&session.control->wake, seen, 5);
    if (!recorder_is_there()) break;
  }
  return nullptr;
}

// Clears what stands behind the cursor, a path or event that will never be finished. False: there was nothing. Any word
// of a path may be the first that was written: it may begin with a gap.
bool clear_interrupted(dprof_session_seat *seat, uint32_t buffer, uint64_t *cursor) {
  uint64_t any = 0;
  for (uint64_t *p = cursor, *end = clean_end_of(seat, buffer); p < end; p++) {
    any |= *p;
    *p = 0;
  }
  return any != 0;
}

// An interrupted event may be whole (its header visible, the cursor not moved yet). So may a path, but only the
// recorder knows how long paths are: it counts as cut short.
uint64_t *settle_interrupted(dprof_session_seat *seat, uint32_t buffer, uint64_t *cursor) {
  uint64_t *end = end_of(buffer_of(seat, buffer));
  if (cursor < end && cursor[0] & DPROF_EVENT) cursor += 1 + (cursor[0] >> 8 & 0xff);
  if (clear_interrupted(seat, buffer, cursor)) seat->lost++;
  return cursor;
}

} // namespace

uint64_t *buffer_of(const dprof_session_seat *seat, uint32_t buffer) {
  uint64_t index = (uint64_t)(seat - session.seats) * DPROF_SESSION_BUFFERS + buffer;
  return (uint64_t *)((char *)session.process + session.process->buffers_offset) + index * DPROF_SESSION_BUFFER_WORDS;
}

static inline uint64_t take_stamp_on(uint32_t *cpu) {
  uint64_t now = read_clock(cpu);
  if (now <= thread_log.last_stamp) now = thread_log.last_stamp + 1;
  return thread_log.last_stamp = now;
}

uint64_t take_stamp() {
  uint32_t cpu;
  uint64_t now = take_stamp_on(&cpu);
  if ((uint16_t)cpu != thread_log.cpu) {
    thread_log.cpu = (uint16_t)cpu;
    thread_log.flags |= THREAD_MOVED;
  }
  return now;
}

// The clock is read once, which says the CPU as well: reading it is most of what the event costs. So there must be room
// before.
void log_time() {
  const bool is_closed = thread_log.flags & THREAD_CLOSED;
  if (!is_closed && (uintptr_t)(__dprof_thread.cursor + time_words) > (uintptr_t)__dprof_thread.limit)
    refill(time_words);
  uint32_t cpu;
  uint64_t now = take_stamp_on(&cpu);
  thread_log.cpu = (uint16_t)cpu;
  thread_log.flags &= (uint16_t)~THREAD_MOVED;
  log_words<false>(DPROF_EVENT_TIME, 0, now, cpu);
}

void log_move() {
  dprof_session_seat *seat = thread_log.seat;
  if (!seat || !recording || thread_log.flags & THREAD_CLOSED) return log_time();
  note_spent();
  uint64_t *limit = __dprof_thread.limit + time_words;
  if (limit > end_of(buffer_of(seat, seat->current_buffer))) {
    uint64_t *before = __dprof_thread.cursor;
    if (!switch_buffer(seat)) return point_at_scratch(words_between_stamps);
    limit = __dprof_thread.cursor + (limit - before);
  }
  clean_up_to(seat, seat->current_buffer, limit);
  set_limit(limit);
  seat->owner[OWNER_SEEN] += time_words * sizeof(uint64_t);
  log_time();
}

void point_at_scratch(uint64_t words) {
  static uint64_t *large = nullptr;
  static uint64_t large_words = 0;
  uint64_t *at = scratch;
  uint64_t room = DPROF_SESSION_BUFFER_WORDS;
  if (words > room) {
    if (words > large_words) {
      large = (uint64_t *)map_far_away(words * sizeof(uint64_t), -1);
      large_words = large ? words : 0;
    }
    at = large;
    room = words;
  }
  __dprof_thread.cursor = at;
  set_limit(at + room);
}

static void log_lost(dprof_session_seat *seat) {
  if (!seat->lost) return;
  log_words<false>(DPROF_EVENT_LOST, 0, seat->lost);
  seat->lost = 0;
}

uint64_t *refill(uint64_t words) {
  ThreadLog &self = thread_log;
  if (!self.seat && recording && !(self.flags & (THREAD_ENDED | THREAD_SETTING_UP))) begin_thread(nullptr);
  if (!self.seat || !recording) {
    point_at_scratch(words);
    return __dprof_thread.cursor;
  }
  dprof_session_seat *seat = self.seat;
  if (!self.frame) probe_stack();
  note_spent();
  uint64_t *end = end_of(buffer_of(seat, seat->current_buffer));
  if (seat->owner[OWNER_SAVED_CURSOR]) { // the segment before was too large for any buffer
    __dprof_thread.cursor = (uint64_t *)seat->owner[OWNER_SAVED_CURSOR];
    seat->owner[OWNER_SAVED_CURSOR] = 0;
  }
  if (words + time_words + lost_words > DPROF_SESSION_BUFFER_WORDS) {
    seat->owner[OWNER_SAVED_CURSOR] = (uintptr_t)__dprof_thread.cursor;
    seat->lost++;
    point_at_scratch(words);
    set_limit(__dprof_thread.cursor + words);
    return __dprof_thread.cursor;
  }
  // There are as many words up to the next stamp wherever the buffer ends: it is given back with some unused.
  uint64_t more = words > words_between_stamps ? words : words_between_stamps;
  if (__dprof_thread.cursor + more + time_words + lost_words > end) {
    if (!switch_buffer(seat)) {
      point_at_scratch(words);
      return __dprof_thread.cursor;
    }
    end = end_of(buffer_of(seat, seat->current_buffer));
  }
  clean_up_to(seat, seat->current_buffer, __dprof_thread.cursor + time_words + lost_words + more);
  set_limit(end);
  log_time();
  log_lost(seat);
  uint64_t *cursor = __dprof_thread.cursor;
  set_limit(cursor + more);
  return cursor;
}

uint32_t take_thread_number() { return fetch_add(&session.process->next_thread, 1u); }
void return_thread_number(uint32_t number) { swap_if(&session.process->next_thread, number + 1, number); }

void begin_thread(const ThreadBirth *birth) {
  ThreadLog &self = thread_log;
  SignalsBlocked blocked;
  self.flags |= THREAD_SETTING_UP;
  dprof_session_seat *seat = claim_seat();
  if (!seat) {
    fetch_add(&session.process->lost, 1u);
    self.flags = THREAD_ENDED;
    return;
  }
  ThreadBirth unannounced = {};
  if (!birth) {
    unannounced.number = take_thread_number();
    birth = &unannounced;
  }
  seat->thread = birth->number;
  seat->lost = 0;
  seat->owner[OWNER_SAVED_CURSOR] = 0;
  seat->owner[OWNER_STACK_BEGIN] = birth->stack_begin;
  seat->owner[OWNER_STACK_END] = birth->stack_end;
  store(&seat->kernel_thread, (uint32_t)system_call(SYS_gettid));
  Awaited::say(seat, 0);
  self.number = birth->number;
  self.frame = nullptr;
  if (!move_to_fresh_buffer(seat)) {
    store<uint32_t>(&seat->state, DPROF_SEAT_ENDED);
    self.flags = THREAD_ENDED;
    return;
  }
  store<uint32_t>(&seat->state, DPROF_SEAT_LIVE);
  self.seat = seat;
  seat->owner[OWNER_SPENT] = 0;
  set_limit(__dprof_thread.cursor + words_between_stamps);
  self.flags = 0;
  log_words<true>(DPROF_EVENT_THREAD_START, 0, birth->creator, birth->stack_begin, birth->stack_end);
  log_time();
  announce_thread_locals();
  arm_thread_end();
  seat->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor;
  seat->owner[OWNER_SOFT] = 0;
  seat->owner[OWNER_DROPPED] = 0;
  if (!windowed) return;
  settle_thread();
  set_limit(__dprof_thread.cursor); // it looks before its first path
}

void silence_thread() {
  thread_log.seat = nullptr;
  thread_log.frame = nullptr;
  thread_log.flags = THREAD_ENDED;
  __dprof_thread = {};
}

void end_thread() {
  ThreadLog &self = thread_log;
  dprof_session_seat *seat = self.seat;
  if (seat && recording) {
    // For good: the thread is about to end, and what a handler did now would be seen by nobody.
    uint64_t all = ~0ull;
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof all);
    finish_windows();
    log_lost(seat);
    log_words<true>(DPROF_EVENT_THREAD_END, 0, seat->owner[OWNER_STACK_BEGIN], seat->owner[OWNER_STACK_END]);
    uint64_t *base = buffer_of(seat, seat->current_buffer);
    bool there = hand_over(seat, seat->current_buffer, seat->current_begin, (uint64_t)(cursor_of_log(seat) - base),
                           seat->current_taking, true);
    for (SignalFrame *f = self.frame; f && there; f = f->outer) {
      uint64_t at = (uint64_t)(f->cursor - buffer_of(seat, f->buffer));
      there = hand_over(seat, f->buffer, at, at, f->taking, true);
    }
    store(&seat->current_buffer, DPROF_SESSION_NO_BUFFER);
    store<uint32_t>(&seat->state, DPROF_SEAT_ENDED);
    wake_recorder();
  }
  silence_thread();
}

bool enter_signal_frame(SignalFrame *frame) {
  ThreadLog &self = thread_log;
  dprof_session_seat *seat = self.seat;
  if (!seat || !recording || seat->owner[OWNER_SAVED_CURSOR]) return false;
  unsigned held = 1;
  for (SignalFrame *f = self.frame; f; f = f->outer) held++;
  if (held >= DPROF_SESSION_BUFFERS) return false;
  SignalsBlocked blocked;
  uint64_t *base = buffer_of(seat, seat->current_buffer);
  frame->outer = self.frame;
  frame->is_closed = self.flags & THREAD_CLOSED;
  note_spent();
  frame->paths = __dprof_thread;
  frame->cursor = cursor_of_log(seat);
  frame->buffer = seat->current_buffer;
  frame->taking = seat->current_taking;
  uint64_t end = (uint64_t)(frame->cursor - base);
  if (end > seat->current_begin) {
    if (!hand_over(seat, seat->current_buffer, seat->current_begin, end, seat->current_taking, false)) {
      stop_recording();
      return false;
    }
    store(&seat->current_begin, (uint32_t)end);
  }
  uint32_t buffer = take_buffer(seat);
  if (buffer == DPROF_SESSION_NO_BUFFER) return false;
  set_current(seat, buffer, 0, (uint32_t)++seat->owner[OWNER_TAKINGS]);
  if (frame->is_closed) {
    seat->owner[OWNER_KEPT] = (uintptr_t)buffer_of(seat, buffer);
  } else {
    __dprof_thread.cursor = buffer_of(seat, buffer);
    set_limit(__dprof_thread.cursor + words_between_stamps);
  }
  enter_window_frame(frame);
  frame->awaits = seat->awaits;
  Awaited::say(seat, 0);
  self.frame = frame;
  return true;
}

namespace {

void hand_over_current(dprof_session_seat *seat) {
  uint64_t *base = buffer_of(seat, seat->current_buffer);
  hand_over(seat, seat->current_buffer, seat->current_begin, (uint64_t)(cursor_of_log(seat) - base),
            seat->current_taking, true);
}

// The thread's log is as it was when the handler began, whatever that did to the window since.
void resume_log(dprof_session_seat *seat, const SignalFrame &frame, uint64_t *cursor, dprof_thread_cursor here) {
  if (!frame.is_closed) {
    thread_log.flags &= ~THREAD_CLOSED;
  } else {
    seat->owner[OWNER_KEPT] = (uintptr_t)cursor;
    thread_log.flags |= THREAD_CLOSED;
  }
  resume(here);
}

} // namespace

void leave_signal_frame(SignalFrame *frame) {
  ThreadLog &self = thread_log;
  dprof_session_seat *seat = self.seat;
  if (!seat || self.frame != frame) return; // the handler forked, or recording is over
  SignalsBlocked blocked;
  count_window_frame();
  if (recording) hand_over_current(seat);
  set_current(seat, frame->buffer, (uint32_t)(frame->cursor - buffer_of(seat, frame->buffer)), frame->taking);
  resume_log(seat, *frame, frame->cursor, frame->paths);
  Awaited::say(seat, frame->awaits);
  self.frame = frame->outer;
  leave_window_frame(*frame, false);
}

void abandon_signal_frames(SignalFrame *outermost) {
  ThreadLog &self = thread_log;
  dprof_session_seat *seat = self.seat;
  if (!seat) return;
  for (SignalFrame *f = self.frame; f != outermost->outer; f = f->outer)
    log_words<false>(DPROF_EVENT_SIGNAL, 0, f->number);
  SignalsBlocked blocked;
  count_window_frame();
  if (recording) hand_over_current(seat);
  for (SignalFrame *f = self.frame; f != outermost; f = f->outer) {
    uint64_t at = (uint64_t)(f->cursor - buffer_of(seat, f->buffer));
    if (clear_interrupted(seat, f->buffer, f->cursor)) seat->lost++;
    if (recording) hand_over(seat, f->buffer, at, at, f->taking, true);
  }
  uint64_t *cursor = settle_interrupted(seat, outermost->buffer, outermost->cursor);
  set_current(seat, outermost->buffer, (uint32_t)(outermost->cursor - buffer_of(seat, outermost->buffer)),
              outermost->taking);
  resume_log(seat, *outermost, cursor, {cursor, cursor}); // the next one logs what was lost
  if (outermost->is_closed) point_at_scratch(1);
  Awaited::say(seat, 0);
  self.frame = outermost->outer;
  leave_window_frame(*outermost, true);
}

} // namespace dprof

extern "C" {

__attribute__((visibility("default"))) DPROF_PRESERVE_MOST uint64_t *__dprof_refill(uint64_t words) {
  if (__builtin_expect(dprof::windowed, 0))
    return dprof::refill_for_path(words, (uintptr_t)__builtin_return_address(0));
  return dprof::refill(words);
}

__attribute__((visibility("default"))) DPROF_PRESERVE_MOST uint64_t __dprof_stamp(void) { return dprof::take_stamp(); }
}
