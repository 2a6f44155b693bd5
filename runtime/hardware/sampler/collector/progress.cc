// Stage: sampler. Prints one line that is rewritten on a terminal; anywhere else a line every ten seconds, with
// DPROF_PROGRESS=1 from the first second on, with DPROF_PROGRESS=0 none.
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace dprof {
namespace {

constexpr uint64_t first_ns = 1000000000, terminal_ns = 250000000, soon_ns = 2000000000, log_ns = 10000000000;

uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void print(const std::string &text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) { /* nobody listens */
  }
}

} // namespace

Progress::Progress(const std::string &program)
    : program_(program), is_terminal_(isatty(STDERR_FILENO)), begin_ns_(monotonic_ns()) {
  const char *wish = getenv("DPROF_PROGRESS");
  const bool is_soon = is_terminal_ || (wish && *wish);
  is_wanted_ = is_terminal_ || !wish || strcmp(wish, "0") != 0;
  next_ns_ = begin_ns_ + (is_soon ? first_ns : log_ns);
  interval_ns_ = is_terminal_ ? terminal_ns : is_soon ? soon_ns : log_ns;
}

void Progress::show(uint64_t samples, uint64_t lost) {
  if (!is_wanted_) return;
  const uint64_t now_ns = monotonic_ns();
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + interval_ns_;
  const double seconds = (double)(now_ns - begin_ns_) / 1e9;
  char numbers[160];
  snprintf(numbers, sizeof numbers, "%llu samples, %.0f a second, %.0f s", (unsigned long long)samples,
           (double)samples / seconds, seconds);
  const std::string line = "dprof: " + program_ + ": " + numbers + (lost ? ", " + std::to_string(lost) + " lost" : "");
  print(is_terminal_ ? "\r" + line.substr(0, 119) + "\x1b[K" : line + "\n");
  has_written_ = true;
}

Progress::~Progress() {
  if (has_written_ && is_terminal_) print("\r\x1b[K");
}

} // namespace dprof
