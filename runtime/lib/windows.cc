// Stage: runtime. Windows: when this process records references. Two switches in series decide: the requests of program
// and user (start, stop, a signal, a function's entry), and the plan (--after, --for, --burst).
#include "windows.h"

#include <link.h>
#include <signal.h>
#include <string.h>

#include "interpose.h"
#include "memory.h"
#include "modules.h"
#include "process.h"
#include "real.h"

namespace dprof {

bool windowed = false;

namespace {

// A length of the run: logged words, or nanoseconds.
struct Extent {
  uint64_t amount;
  bool is_time;
};

struct Plan {
  Extent after, length, burst_on, burst_period; // amount 0: not asked for
  uintptr_t from_begin, from_end, until_begin, until_end;
  bool is_paused;
} plan;

bool has_plan = false;
bool told_open = true;    // the first switch
bool planned_open = true; // the second
bool over = false;        // --for is over: nothing opens it again
bool is_open = true;
uint64_t words_so_far = 0;                              // of all threads
uint64_t opened_words = 0, first_ns = 0, opened_ns = 0; // where the plan's first window began
bool began = false;
uint64_t closed_at = 0, opened_at = 0; // stamps of changes that no thread's log says yet; 0: none
const char *closed_why = "";

uint64_t now() {
  uint32_t cpu;
  return read_clock(&cpu);
}

// The switches, the window and its stamps change together.
uint32_t change_lock = 0;

bool should_be_open() { return load(&told_open) && load(&planned_open) && !over; }

// The next change undoes one that no log has yet, unless that one closed the window.
void change(bool open, const char *why) {
  __atomic_store_n(&is_open, open, __ATOMIC_RELEASE);
  if (open) {
    store(&opened_at, now());
  } else {
    bool was_said = load(&opened_at);
    store<uint64_t>(&opened_at, 0);
    if (!was_said) {
      closed_why = why;
      store(&closed_at, now());
    }
  }
}

// To be called with the lock. More than the window's state decides who must count, and who may run at its own speed.
void settle(const char *why) {
  bool open = should_be_open();
  if (open != is_window_open()) change(open, why);
  if (recording) set_modules_active(wants_references());
}

void tell(bool open, const char *why) {
  windowed = true;
  Locked locked(change_lock);
  store(&told_open, open);
  settle(why);
}

uint64_t now_ns() {
  timespec time;
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool is_past(const Extent &extent, uint64_t words, uint64_t ns) {
  return (extent.is_time ? ns : words) >= extent.amount;
}

void follow_plan(uint64_t words) {
  uint64_t ns = plan.after.is_time || plan.length.is_time || plan.burst_on.is_time ? now_ns() : 0;
  if (!first_ns) first_ns = ns;
  if (!began) {
    if (!is_past(plan.after, words, ns - first_ns)) return;
    began = true;
    opened_words = words;
    opened_ns = ns;
  }
  uint64_t words_since = words - opened_words, ns_since = ns - opened_ns;
  bool open = true;
  const char *why = "burst";
  if (plan.burst_period.amount) {
    uint64_t at = (plan.burst_period.is_time ? ns_since : words_since) % plan.burst_period.amount;
    open = at < plan.burst_on.amount;
  }
  bool ends = plan.length.amount && is_past(plan.length, words_since, ns_since);
  if (open == load(&planned_open) && !ends) return;
  Locked locked(change_lock);
  if (ends) {
    over = true;
    why = "for";
  }
  store(&planned_open, open);
  settle(why);
}

void on_toggle(int) {
  bool open = !load(&told_open);
  tell(open, "signal");
}

uint64_t read_number(const char *&at) {
  uint64_t number = 0;
  while (*at >= '0' && *at <= '9') number = number * 10 + (uint64_t)(*at++ - '0');
  return number;
}

// "12w" or "12n".
Extent read_extent(const char *&at) {
  Extent extent = {read_number(at), false};
  if (*at == 'n') extent.is_time = true;
  if (*at == 'n' || *at == 'w') at++;
  return extent;
}

int find_program(dl_phdr_info *info, size_t, void *base) {
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

bool take_key(const char *&at, const char *key) {
  size_t length = text_length(key);
  for (size_t i = 0; i < length; i++)
    if (at[i] != key[i]) return false;
  at += length;
  return true;
}

// `dprof record` writes it: "after=12w,for=5n,burst=10w/100w,from=ADDRESS+BYTES,until=ADDRESS+BYTES,toggle=12,paused".
void read_plan(const char *at) {
  uintptr_t base = 0;
  dl_iterate_phdr(find_program, &base);
  auto read_range = [&](uintptr_t &begin, uintptr_t &end) {
    begin = base + read_number(at);
    if (*at == '+') at++;
    end = begin + read_number(at);
  };
  while (*at) {
    if (take_key(at, "after=")) {
      plan.after = read_extent(at);
      planned_open = false;
      closed_why = "after";
    } else if (take_key(at, "for=")) {
      plan.length = read_extent(at);
    } else if (take_key(at, "burst=")) {
      plan.burst_on = read_extent(at);
      if (*at == '/') at++;
      plan.burst_period = read_extent(at);
    } else if (take_key(at, "from=")) {
      read_range(plan.from_begin, plan.from_end);
      told_open = false;
      closed_why = "from";
    } else if (take_key(at, "until=")) {
      read_range(plan.until_begin, plan.until_end);
    } else if (take_key(at, "toggle=")) {
      struct sigaction action = {};
      action.sa_handler = on_toggle;
      action.sa_flags = SA_RESTART;
      real().sigaction((int)read_number(at), &action, nullptr);
    } else if (take_key(at, "paused")) {
      told_open = false;
      closed_why = "paused";
    }
    while (*at && *at != ',') at++;
    if (*at == ',') at++;
  }
  has_plan = plan.after.amount || plan.length.amount || plan.burst_period.amount;
  is_open = told_open && planned_open;
  if (!is_open) closed_at = now();
}

} // namespace

void start_windows() {
  const char *text = find_environment("DPROF_WINDOW");
  if (!text || !*text) return;
  windowed = true;
  read_plan(text);
}

bool is_window_open() { return __atomic_load_n(&is_open, __ATOMIC_ACQUIRE); }

// If a request closed the window, the program runs at its own speed. If the plan closed it, or until a function is
// entered, the program must go on reporting its progress.
bool wants_references() {
  if (is_window_open()) return true;
  if (over) return false;
  return watches_functions() || (has_plan && load(&told_open));
}

bool watches_functions() { return plan.from_end || plan.until_end; }

void note_progress(uint64_t words, uintptr_t place) {
  if (watches_functions()) {
    if (place - plan.from_begin < plan.from_end - plan.from_begin && !load(&told_open))
      tell(true, "from");
    else if (place - plan.until_begin < plan.until_end - plan.until_begin && load(&told_open))
      tell(false, "until");
  }
  if (!has_plan || over || !load(&told_open)) return;
  uint64_t all = fetch_add(&words_so_far, words) + words;
  follow_plan(all);
}

void log_due_marks() {
  if (!load(&closed_at) && !load(&opened_at)) return;
  uint64_t closed, opened;
  const char *why;
  {
    Locked locked(change_lock);
    closed = closed_at;
    opened = opened_at;
    why = closed_why;
    closed_at = opened_at = 0;
  }
  if (closed) log_mark(DPROF_MARK_CLOSED, closed, why);
  if (opened) log_mark(DPROF_MARK_OPENED, opened, "");
}

// Changes that were under way, or not logged yet, belong to the parent process.
void rejoin_windows() {
  change_lock = 0;
  is_open = should_be_open();
  opened_at = 0;
  closed_at = is_open ? 0 : now();
}

} // namespace dprof

using namespace dprof;

DPROF_EXPORT void __dprof_start(void) {
  if (!can_log()) return;
  ErrnoKept kept;
  tell(true, "start");
  settle_thread();
}

DPROF_EXPORT void __dprof_stop(void) {
  if (!can_log()) return;
  ErrnoKept kept;
  tell(false, "stop");
  settle_thread();
}

DPROF_EXPORT void __dprof_mark(const char *phase) {
  if (!phase || !can_log()) return;
  ErrnoKept kept;
  log_mark(DPROF_MARK_PHASE, 0, phase);
}
