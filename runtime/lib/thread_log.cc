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

dprof_session_slot *claim_slot() {
  uint32_t count = session.process->slots;
  for (int round = 0; round < 40; round++) {
    uint32_t seen = load(&session.control->wake);
    for (uint32_t i = 0; i < count; i++) {
      if (!populate_slot(i)) {
        store<uint32_t>(&session.process->stopped, ENOSPC);
        report_failure(ENOSPC);
        stop_recording();
        return nullptr;
      }
      dprof_session_slot *slot = &session.slots[i];
      if (load(&slot->state) != DPROF_SLOT_FREE ||
          !swap_if<uint32_t>(&slot->state, DPROF_SLOT_FREE, DPROF_SLOT_STARTING))
        continue;
      uint32_t used = load(&session.process->slots_used);
      while (used < i + 1 && !swap_if(&session.process->slots_used, used, i + 1))
        used = load(&session.process->slots_used);
      return slot;
    }
    wake_recorder();
    futex_wait(&session.control->wake, seen, 5);
    if (!recorder_is_there()) break;
  }
  return nullptr;
}

// Clears the words behind the cursor: a path or event that will never be finished. False: there were none. Any word of
// a path may be the first that was written, because it may begin with a gap.
bool clear_interrupted(dprof_session_slot *slot, uint32_t buffer, uint64_t *cursor) {
  uint64_t any = 0;
  for (uint64_t *p = cursor, *end = clean_end_of(slot, buffer); p < end; p++) {
    any |= *p;
    *p = 0;
  }
  return any != 0;
}

// An interrupted event may be whole (its header visible, the cursor not moved yet). So may a path, but only the
// recorder knows how long paths are: it counts as cut short.
uint64_t *settle_interrupted(dprof_session_slot *slot, uint32_t buffer, uint64_t *cursor) {
  uint64_t *end = end_of(buffer_of(slot, buffer));
  if (cursor < end && cursor[0] & DPROF_EVENT) cursor += 1 + (cursor[0] >> 8 & 0xff);
  if (clear_interrupted(slot, buffer, cursor)) slot->lost++;
  return cursor;
}

} // namespace

uint64_t *buffer_of(const dprof_session_slot *slot, uint32_t buffer) {
  uint64_t index = (uint64_t)(slot - session.slots) * DPROF_SESSION_BUFFERS + buffer;
  return (uint64_t *)((char *)session.process + session.process->buffers_offset) + index * DPROF_SESSION_BUFFER_WORDS;
}

uint64_t take_stamp() {
  uint32_t cpu;
  uint64_t now = read_clock(&cpu);
  if (now <= thread_log.last_stamp) now = thread_log.last_stamp + 1;
  if ((uint16_t)cpu != thread_log.cpu) {
    thread_log.cpu = (uint16_t)cpu;
    thread_log.flags |= THREAD_MOVED;
  }
  return thread_log.last_stamp = now;
}

void log_time() {
  uint32_t cpu;
  read_clock(&cpu);
  thread_log.cpu = (uint16_t)cpu;
  thread_log.flags &= (uint16_t)~THREAD_MOVED;
  log_words<true>(DPROF_EVENT_TIME, 0, cpu);
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

static void log_lost(dprof_session_slot *slot) {
  if (!slot->lost) return;
  log_words<false>(DPROF_EVENT_LOST, 0, slot->lost);
  slot->lost = 0;
}

uint64_t *refill(uint64_t words) {
  ThreadLog &self = thread_log;
  if (!self.slot && recording && !(self.flags & (THREAD_ENDED | THREAD_SETTING_UP))) begin_thread(nullptr);
  if (!self.slot || !recording) {
    point_at_scratch(words);
    return __dprof_thread.cursor;
  }
  dprof_session_slot *slot = self.slot;
  if (!self.frame) probe_stack();
  note_spent();
  uint64_t *end = end_of(buffer_of(slot, slot->current_buffer));
  if (slot->owner[OWNER_SAVED_CURSOR]) { // the segment before was too large for any buffer
    __dprof_thread.cursor = (uint64_t *)slot->owner[OWNER_SAVED_CURSOR];
    slot->owner[OWNER_SAVED_CURSOR] = 0;
  }
  if (words + time_words + lost_words > DPROF_SESSION_BUFFER_WORDS) {
    slot->owner[OWNER_SAVED_CURSOR] = (uintptr_t)__dprof_thread.cursor;
    slot->lost++;
    point_at_scratch(words);
    set_limit(__dprof_thread.cursor + words);
    return __dprof_thread.cursor;
  }
  if (__dprof_thread.cursor + words + time_words + lost_words > end) {
    if (!switch_buffer(slot)) {
      point_at_scratch(words);
      return __dprof_thread.cursor;
    }
    end = end_of(buffer_of(slot, slot->current_buffer));
  }
  uint64_t more = words > words_between_stamps ? words : words_between_stamps;
  clean_up_to(slot, slot->current_buffer, __dprof_thread.cursor + time_words + lost_words + more);
  set_limit(end);
  log_time();
  log_lost(slot);
  uint64_t *cursor = __dprof_thread.cursor;
  uint64_t *soft = cursor + more;
  set_limit(soft < end ? soft : end);
  return cursor;
}

uint32_t take_thread_number() { return fetch_add(&session.process->next_thread, 1u); }
void return_thread_number(uint32_t number) { swap_if(&session.process->next_thread, number + 1, number); }

void begin_thread(const ThreadBirth *birth) {
  ThreadLog &self = thread_log;
  SignalsBlocked blocked;
  self.flags |= THREAD_SETTING_UP;
  dprof_session_slot *slot = claim_slot();
  if (!slot) {
    fetch_add(&session.process->lost, 1u);
    self.flags = THREAD_ENDED;
    return;
  }
  ThreadBirth unannounced = {};
  if (!birth) {
    unannounced.number = take_thread_number();
    birth = &unannounced;
  }
  slot->thread = birth->number;
  slot->lost = 0;
  slot->owner[OWNER_SAVED_CURSOR] = 0;
  slot->owner[OWNER_STACK_BEGIN] = birth->stack_begin;
  slot->owner[OWNER_STACK_END] = birth->stack_end;
  store(&slot->kernel_thread, (uint32_t)system_call(SYS_gettid));
  Awaited::say(slot, 0);
  self.number = birth->number;
  self.frame = nullptr;
  if (!move_to_fresh_buffer(slot)) {
    store<uint32_t>(&slot->state, DPROF_SLOT_ENDED);
    self.flags = THREAD_ENDED;
    return;
  }
  store<uint32_t>(&slot->state, DPROF_SLOT_LIVE);
  self.slot = slot;
  slot->owner[OWNER_SPENT] = 0;
  set_limit(__dprof_thread.cursor + words_between_stamps);
  self.flags = 0;
  log_words<true>(DPROF_EVENT_THREAD_START, 0, birth->creator, birth->stack_begin, birth->stack_end);
  log_time();
  announce_thread_locals();
  arm_thread_end();
  slot->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor;
  slot->owner[OWNER_SOFT] = 0;
  slot->owner[OWNER_DROPPED] = 0;
  if (!windowed) return;
  settle_thread();
  set_limit(__dprof_thread.cursor); // it looks before its first path
}

void silence_thread() {
  thread_log.slot = nullptr;
  thread_log.frame = nullptr;
  thread_log.flags = THREAD_ENDED;
  __dprof_thread = {};
}

void end_thread() {
  ThreadLog &self = thread_log;
  dprof_session_slot *slot = self.slot;
  if (slot && recording) {
    // Signals stay blocked: the thread is about to end, and nobody would see what a handler does now.
    uint64_t all = ~0ull;
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof all);
    finish_windows();
    log_lost(slot);
    log_words<true>(DPROF_EVENT_THREAD_END, 0, slot->owner[OWNER_STACK_BEGIN], slot->owner[OWNER_STACK_END]);
    uint64_t *base = buffer_of(slot, slot->current_buffer);
    bool there = hand_over(slot, slot->current_buffer, slot->current_begin, (uint64_t)(cursor_of_log(slot) - base),
                           slot->current_taking, true);
    for (SignalFrame *f = self.frame; f && there; f = f->outer) {
      uint64_t at = (uint64_t)(f->cursor - buffer_of(slot, f->buffer));
      there = hand_over(slot, f->buffer, at, at, f->taking, true);
    }
    store(&slot->current_buffer, DPROF_SESSION_NO_BUFFER);
    store<uint32_t>(&slot->state, DPROF_SLOT_ENDED);
    wake_recorder();
  }
  silence_thread();
}

bool enter_signal_frame(SignalFrame *frame) {
  ThreadLog &self = thread_log;
  dprof_session_slot *slot = self.slot;
  if (!slot || !recording || slot->owner[OWNER_SAVED_CURSOR]) return false;
  unsigned held = 1;
  for (SignalFrame *f = self.frame; f; f = f->outer) held++;
  if (held >= DPROF_SESSION_BUFFERS) return false;
  SignalsBlocked blocked;
  uint64_t *base = buffer_of(slot, slot->current_buffer);
  frame->outer = self.frame;
  frame->is_closed = self.flags & THREAD_CLOSED;
  note_spent();
  frame->paths = __dprof_thread;
  frame->cursor = cursor_of_log(slot);
  frame->buffer = slot->current_buffer;
  frame->taking = slot->current_taking;
  uint64_t end = (uint64_t)(frame->cursor - base);
  if (end > slot->current_begin) {
    if (!hand_over(slot, slot->current_buffer, slot->current_begin, end, slot->current_taking, false)) {
      stop_recording();
      return false;
    }
    store(&slot->current_begin, (uint32_t)end);
  }
  uint32_t buffer = take_buffer(slot);
  if (buffer == DPROF_SESSION_NO_BUFFER) return false;
  set_current(slot, buffer, 0, (uint32_t)++slot->owner[OWNER_TAKINGS]);
  if (frame->is_closed) {
    slot->owner[OWNER_KEPT] = (uintptr_t)buffer_of(slot, buffer);
  } else {
    __dprof_thread.cursor = buffer_of(slot, buffer);
    set_limit(__dprof_thread.cursor + words_between_stamps);
  }
  enter_window_frame(frame);
  frame->awaits = slot->awaits;
  Awaited::say(slot, 0);
  self.frame = frame;
  return true;
}

namespace {

void hand_over_current(dprof_session_slot *slot) {
  uint64_t *base = buffer_of(slot, slot->current_buffer);
  hand_over(slot, slot->current_buffer, slot->current_begin, (uint64_t)(cursor_of_log(slot) - base),
            slot->current_taking, true);
}

// The thread's log is as it was when the handler began, whatever that did to the window since.
void resume_log(dprof_session_slot *slot, const SignalFrame &frame, uint64_t *cursor, dprof_thread_cursor here) {
  if (!frame.is_closed) {
    thread_log.flags &= ~THREAD_CLOSED;
  } else {
    slot->owner[OWNER_KEPT] = (uintptr_t)cursor;
    thread_log.flags |= THREAD_CLOSED;
  }
  resume(here);
}

} // namespace

void leave_signal_frame(SignalFrame *frame) {
  ThreadLog &self = thread_log;
  dprof_session_slot *slot = self.slot;
  if (!slot || self.frame != frame) return; // the handler forked, or recording is over
  SignalsBlocked blocked;
  count_window_frame();
  if (recording) hand_over_current(slot);
  set_current(slot, frame->buffer, (uint32_t)(frame->cursor - buffer_of(slot, frame->buffer)), frame->taking);
  resume_log(slot, *frame, frame->cursor, frame->paths);
  Awaited::say(slot, frame->awaits);
  self.frame = frame->outer;
  leave_window_frame(*frame, false);
}

void abandon_signal_frames(SignalFrame *outermost) {
  ThreadLog &self = thread_log;
  dprof_session_slot *slot = self.slot;
  if (!slot) return;
  for (SignalFrame *f = self.frame; f != outermost->outer; f = f->outer)
    log_words<false>(DPROF_EVENT_SIGNAL, 0, f->number);
  SignalsBlocked blocked;
  count_window_frame();
  if (recording) hand_over_current(slot);
  for (SignalFrame *f = self.frame; f != outermost; f = f->outer) {
    uint64_t at = (uint64_t)(f->cursor - buffer_of(slot, f->buffer));
    if (clear_interrupted(slot, f->buffer, f->cursor)) slot->lost++;
    if (recording) hand_over(slot, f->buffer, at, at, f->taking, true);
  }
  uint64_t *cursor = settle_interrupted(slot, outermost->buffer, outermost->cursor);
  set_current(slot, outermost->buffer, (uint32_t)(outermost->cursor - buffer_of(slot, outermost->buffer)),
              outermost->taking);
  resume_log(slot, *outermost, cursor, {cursor, cursor}); // the next one logs what was lost
  if (outermost->is_closed) point_at_scratch(1);
  Awaited::say(slot, 0);
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
