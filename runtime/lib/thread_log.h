// Stage: runtime. One thread's log: records and events into its buffers, buffers to the recorder as pieces.
//
// Writing an event follows the same protocol as an instrumented segment (room, words, header, cursor), so a signal
// handler may interrupt it anywhere. The handler logs into another buffer (SignalFrame); the interrupted record comes
// after.
// after.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dprof/abi.h"
#include "dprof/session.h"
#include "system.h"

namespace dprof {

// The log that a signal handler interrupted; it lies on the handler's stack.
struct SignalFrame {
  SignalFrame *outer;
  uint64_t *cursor;
  uint32_t buffer;
  uint32_t taking;
  int number;
  bool is_closed;                           // then `cursor` belongs to the log kept aside,
  dprof_thread_cursor paths;                // and this is the place for paths
  uint64_t unseen;                          // words of it that the window does not know yet
  uintptr_t alternate_begin, alternate_end; // the signal stack it runs on, if any
  uint32_t awaits;                          // awaited event of the interrupted call
};

enum ThreadFlags : uint16_t {
  THREAD_ENDED = 1,  // logs nothing any more
  THREAD_IN_NEW = 2, // operator new is about to call malloc
  THREAD_SETTING_UP = 4,
  THREAD_FORKING = 8,
  THREAD_CLOSED = 16, // no window is open: paths go where nobody reads, events to the log kept aside
  THREAD_MOVED = 32   // on another CPU than its last TIME event says
};

// Together with __dprof_thread it takes at most 64 bytes of static thread-local storage.
struct ThreadLog {
  dprof_session_seat *seat;
  uint64_t last_stamp;
  SignalFrame *frame;
  // What the thread is about to do: memory that operator delete will free, or a described function that will be called
  // (notes.cc). It is one word because libraries that are loaded late have little room for thread-local storage.
  const void *announced;
  uint32_t number;
  uint16_t flags;
  uint16_t cpu; // its low bits, when the last stamp was taken
};
extern __thread ThreadLog thread_log __attribute__((tls_model("initial-exec")));

// True while this process records. Every interposed function looks here first.
extern bool recording;

struct ThreadBirth {
  uint32_t number;
  uint32_t creator;
  uintptr_t stack_begin, stack_end;
};

// Numbers are given in creation order, by the creator.
uint32_t take_thread_number();
void return_thread_number(uint32_t number);
// Sets the calling thread up (if there is room) and logs THREAD_START. `birth` null: a thread that nobody announced.
void begin_thread(const ThreadBirth *birth);
void end_thread();
// Logs the marks and counts that the calling thread has not logged yet.
void finish_windows();
// Makes the calling thread log nothing any more; writes no event.
void silence_thread();

// Hands over what the thread has logged so far and leaves the buffer to the frame; false if no other buffer can be had.
bool enter_signal_frame(SignalFrame *frame);
void leave_signal_frame(SignalFrame *frame);
// Returns to the state before `outermost`, whose handler will never return. The log that it had interrupted is lost.
void abandon_signal_frames(SignalFrame *outermost);

uint64_t *refill(uint64_t words);
// For the paths of an instrumented function: opens or closes the thread's log according to the window.
uint64_t *refill_for_path(uint64_t words, uintptr_t place);
// Does the same outside any path.
void settle_thread();
// A handler's log interrupts the thread's, and ends: its words are counted separately. `abandoned`: no path goes on.
void enter_window_frame(SignalFrame *frame);
void count_window_frame();
void leave_window_frame(const SignalFrame &frame, bool abandoned);
// Points a closed thread's paths at memory that nobody reads. The thread looks at the window as often as others.
void divert_paths(uint64_t words);
// `text` is cut at DPROF_MARK_TEXT_BYTES.
void log_mark(dprof_mark_kind kind, uint64_t value, const char *text);
// Writes an event of a closed thread: the log kept aside becomes the current one, and back.
dprof_thread_cursor begin_event_aside();
void end_event_aside(dprof_thread_cursor paths);
uint64_t take_stamp();
// Logs the thread's CPU.
void log_time();
// Does the same for a thread that has room for an event. Whether it moved is no deed of the program: the next stamp
// comes as many words later, and windows that are told by words do not count these.
void log_move();
// Points the cursor at memory that nobody will read.
void point_at_scratch(uint64_t words);
uint64_t *buffer_of(const dprof_session_seat *seat, uint32_t buffer);

// The event that the thread will log when the call that it is about to make returns. The recorder may report it while
// the thread sleeps in the call.
class Awaited {
public:
  Awaited(dprof_event_code code, unsigned detail = 0, uint64_t object = 0) : seat_(thread_log.seat) {
    if (!seat_) return;
    seat_->awaited_object = object;
    say(seat_, DPROF_EVENT_HEADER(code, 1, detail));
  }
  void happened() {
    if (seat_ && seat_ == thread_log.seat) say(seat_, 0);
  }
  static void say(dprof_session_seat *seat, uint64_t header) {
    __atomic_store_n(&seat->waits, seat->waits + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&seat->awaits, (uint32_t)header, __ATOMIC_RELEASE);
  }

private:
  dprof_session_seat *seat_;
};

static inline bool can_log() { return recording && !(thread_log.flags & THREAD_ENDED); }

// `stamped`: the first word is a stamp; it is taken once there is room for the event.
template <bool stamped, typename... Words>
static inline void log_words(unsigned code, unsigned detail, Words... words) {
  constexpr unsigned count = sizeof...(words) + (stamped ? 1 : 0);
  const bool is_aside = __builtin_expect(thread_log.flags & THREAD_CLOSED, 0);
  dprof_thread_cursor paths = {};
  if (is_aside) paths = begin_event_aside();
  uint64_t *cursor = __dprof_thread.cursor;
  if ((uintptr_t)(cursor + 1 + count) > (uintptr_t)__dprof_thread.limit) cursor = refill(1 + count);
  uint64_t *at = cursor + 1;
  if constexpr (stamped) {
    uint64_t stamp = take_stamp();
    bool has_moved = thread_log.flags & THREAD_MOVED && code != DPROF_EVENT_TIME && code != DPROF_EVENT_THREAD_START;
    if (__builtin_expect(has_moved, 0)) { // a thread that waited may go on anywhere: it says so in front of the event
      if (is_aside) end_event_aside(paths);
      log_move();
      return log_words<stamped>(code, detail, words...);
    }
    *at++ = stamp;
  }
  ((*at++ = (uint64_t)words), ...);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *(volatile uint64_t *)cursor = DPROF_EVENT_HEADER(code, count, detail);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __dprof_thread.cursor = cursor + 1 + count;
  if (is_aside) end_event_aside(paths);
}

static inline void log_release(dprof_sync kind, uint64_t object) { log_words<true>(DPROF_EVENT_RELEASE, kind, object); }
static inline void log_acquire(dprof_sync kind, uint64_t object) { log_words<true>(DPROF_EVENT_ACQUIRE, kind, object); }
static inline void log_allocate(dprof_allocator kind, const void *address, uint64_t size) {
  log_words<true>(DPROF_EVENT_ALLOCATE, kind, (uintptr_t)address, size);
}
static inline void log_free(dprof_allocator kind, const void *address, uint64_t size) {
  log_words<true>(DPROF_EVENT_FREE, kind, (uintptr_t)address, size);
}
static inline void log_kernel_range(const void *address, uint64_t bytes) {
  if (bytes) log_words<false>(DPROF_EVENT_UNSEEN, DPROF_UNSEEN_KERNEL_RANGE, bytes, (uintptr_t)address);
}
static inline void log_unseen(dprof_unseen kind, uint64_t bytes) { log_words<false>(DPROF_EVENT_UNSEEN, kind, bytes); }

} // namespace dprof
