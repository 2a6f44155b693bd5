// Stage: runtime. A thread's log and the window: while no window is open, paths go where nobody reads, events to the
// log that the thread keeps aside.
#include "interpose.h"
#include "log_buffer.h"
#include "memory.h"
#include "session.h"
#include "windows.h"

namespace dprof {

namespace {

// Up to here words are zero, so a limit may be set here.
uint64_t *safe_limit(dprof_session_seat *seat) {
  uint64_t *clean = clean_end_of(seat, seat->current_buffer), *end = end_of(buffer_of(seat, seat->current_buffer));
  return clean < end ? clean - 1 : end;
}

// The order of these writes lets a signal handler find the log by the flag at any moment.
void close_log() {
  thread_log.seat->owner[OWNER_KEPT] = (uintptr_t)__dprof_thread.cursor;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread_log.flags |= THREAD_CLOSED;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  divert_paths(1);
}

void open_log() {
  __dprof_thread.cursor = (uint64_t *)thread_log.seat->owner[OWNER_KEPT];
  set_limit(safe_limit(thread_log.seat));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread_log.flags &= ~THREAD_CLOSED;
}

bool is_set_up() {
  return thread_log.seat && recording && !(thread_log.flags & (THREAD_ENDED | THREAD_SETTING_UP)) &&
         !thread_log.seat->owner[OWNER_SAVED_CURSOR];
}

} // namespace

dprof_thread_cursor begin_event_aside() {
  dprof_thread_cursor paths = __dprof_thread;
  note_spent();
  if (thread_log.seat) open_log();
  return paths;
}

void end_event_aside(dprof_thread_cursor paths) {
  if (!thread_log.seat) return;
  close_log();
  resume(paths);
}

void log_mark(dprof_mark_kind kind, uint64_t value, const char *text) {
  uint64_t bytes = 0;
  while (bytes < DPROF_MARK_TEXT_BYTES && text[bytes]) bytes++;
  while (bytes && (text[bytes] & 0xc0) == 0x80) bytes--; // whole characters only
  uint64_t words = 3 + (bytes + 7) / 8;
  bool is_aside = thread_log.flags & THREAD_CLOSED;
  dprof_thread_cursor paths = {};
  if (is_aside) paths = begin_event_aside();
  uint64_t *cursor = __dprof_thread.cursor;
  if ((uintptr_t)(cursor + 1 + words) > (uintptr_t)__dprof_thread.limit) cursor = refill(1 + words);
  cursor[1] = take_stamp();
  cursor[2] = value;
  cursor[3] = bytes;
  copy_bytes(cursor + 4, text, bytes);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *(volatile uint64_t *)cursor = DPROF_EVENT_HEADER(DPROF_EVENT_MARK, words, kind);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __dprof_thread.cursor = cursor + 1 + words;
  if (is_aside) end_event_aside(paths);
}

namespace {

// Words that the thread has logged, and that loops have spent, since it last looked. In a closed thread they are lost.
uint64_t count_dropped() {
  dprof_session_seat *seat = thread_log.seat;
  note_spent();
  uint64_t since = ((uintptr_t)__dprof_thread.cursor - seat->owner[OWNER_SEEN]) / sizeof(uint64_t);
  if (since > DPROF_SESSION_BUFFER_WORDS) since = 0; // another buffer by now
  since += seat->owner[OWNER_SPENT] / sizeof(uint64_t);
  seat->owner[OWNER_SPENT] = 0;
  if (thread_log.flags & THREAD_CLOSED) thread_log.seat->owner[OWNER_DROPPED] += since;
  seat->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor;
  return since;
}

} // namespace

void divert_paths(uint64_t words) {
  point_at_scratch(words);
  uint64_t *limit = __dprof_thread.cursor + (words > words_between_stamps ? words : words_between_stamps);
  if (limit < __dprof_thread.limit) set_limit(limit);
}

void enter_window_frame(SignalFrame *frame) {
  if (!windowed) return;
  dprof_session_seat *seat = thread_log.seat;
  frame->unseen = ((uintptr_t)frame->paths.cursor - seat->owner[OWNER_SEEN]) / sizeof(uint64_t);
  if (frame->unseen > DPROF_SESSION_BUFFER_WORDS) frame->unseen = 0;
  // The handler may have interrupted a change, or an event, half way: it looks at the window itself.
  if (frame->is_closed)
    divert_paths(1);
  else
    set_limit(__dprof_thread.cursor);
  seat->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor;
}

void count_window_frame() {
  if (windowed) note_progress(count_dropped(), 0);
}

void leave_window_frame(const SignalFrame &frame, bool abandoned) {
  if (!windowed) return;
  dprof_session_seat *seat = thread_log.seat;
  if (abandoned && frame.is_closed) {
    thread_log.seat->owner[OWNER_DROPPED] += frame.unseen;
    divert_paths(1);
    seat->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor;
  } else {
    seat->owner[OWNER_SEEN] = (uintptr_t)frame.paths.cursor - frame.unseen * sizeof(uint64_t);
  }
  if (abandoned)
    settle_thread();
  else if (is_window_open() == frame.is_closed)
    set_limit(__dprof_thread.cursor); // a path may be under way: before the next one
}

void settle_thread() {
  if (!is_set_up()) return;
  bool is_closed = thread_log.flags & THREAD_CLOSED;
  if (is_window_open() == !is_closed) return log_due_marks();
  count_dropped();
  if (!is_closed)
    close_log();
  else
    open_log();
  log_due_marks();
  if (is_closed && thread_log.seat->owner[OWNER_DROPPED]) {
    log_mark(DPROF_MARK_DROPPED, thread_log.seat->owner[OWNER_DROPPED], "");
    thread_log.seat->owner[OWNER_DROPPED] = 0;
  }
  thread_log.seat->owner[OWNER_SEEN] = (uintptr_t)__dprof_thread.cursor;
}

uint64_t *refill_for_path(uint64_t words, uintptr_t place) {
  if (!windowed || !is_set_up()) return refill(words);
  dprof_session_seat *seat = thread_log.seat;
  note_spent();
  uint64_t &soft = seat->owner[OWNER_SOFT];
  soft -= seat->owner[OWNER_SPENT] < soft ? seat->owner[OWNER_SPENT] : soft;
  note_progress(count_dropped(), place);
  settle_thread();
  bool watches = watches_functions();
  uint64_t *cursor;
  if (thread_log.flags & THREAD_CLOSED) {
    divert_paths(words);
    cursor = __dprof_thread.cursor;
  } else if (watches && (uintptr_t)(__dprof_thread.cursor + words) <= soft && soft <= (uintptr_t)safe_limit(seat) &&
             (uintptr_t)__dprof_thread.cursor >= (uintptr_t)buffer_of(seat, seat->current_buffer)) {
    cursor = __dprof_thread.cursor;
  } else {
    cursor = refill(words);
    soft = (uintptr_t)__dprof_thread.limit;
  }
  if (watches) set_limit(cursor);
  seat->owner[OWNER_SEEN] = (uintptr_t)cursor;
  return cursor;
}

// A thread or process that ends logs what it has not logged yet.
void finish_windows() {
  if (!windowed || !is_set_up()) return;
  count_dropped();
  log_due_marks();
  if (!thread_log.seat->owner[OWNER_DROPPED]) return;
  log_mark(DPROF_MARK_DROPPED, thread_log.seat->owner[OWNER_DROPPED], "");
  thread_log.seat->owner[OWNER_DROPPED] = 0;
}

} // namespace dprof
