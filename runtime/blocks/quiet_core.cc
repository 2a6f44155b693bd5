// Stage: blocks. A chain of dependent additions takes as long when another hardware thread uses the core; as many
// additions that need nothing of one another take longer. Such a thread is another program's, or another machine's on
// the same host. It comes and goes within a tenth of a second or a few, so waiting is cheaper than timings in vain.
#include "quiet_core.h"

#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

namespace dprof {
namespace {

constexpr double seconds_of_block = 0.005;
constexpr long pause_nanoseconds = 500'000;
constexpr int rounds = 16, least_quiet = 14;

uint64_t read_clock() {
  _mm_lfence();
  const uint64_t now = __rdtsc();
  _mm_lfence();
  return now;
}

// The clock's own reading is timed, too.
bool is_quiet_now() {
  const uint64_t start = read_clock(), empty = read_clock();
  asm volatile(".rept 600\n add %%rbx, %%rax\n .endr" ::: "rax", "rbx", "cc");
  const uint64_t chained = read_clock();
  asm volatile(".rept 100\n add %%rbx, %%rax\n add %%rbx, %%rcx\n add %%rbx, %%rdx\n add %%rbx, %%rsi\n"
               " add %%rbx, %%r8\n add %%rbx, %%r9\n .endr" ::
                   : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "cc");
  const uint64_t independent = read_clock();
  const double reading = (double)(empty - start);
  return (double)(chained - empty) - reading >= ((double)(independent - chained) - reading) * least_additions;
}

bool is_quiet() {
  int quiet = 0;
  for (int round = 0; round < rounds; round++) quiet += is_quiet_now();
  return quiet >= least_quiet;
}

double seconds_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

} // namespace

void QuietCore::add_block() { patience_seconds_ += seconds_of_block; }

bool QuietCore::wait() {
  const timespec pause = {0, pause_nanoseconds};
  for (double start = seconds_now(); !is_quiet();) {
    if (patience_seconds_ <= 0) return false;
    nanosleep(&pause, nullptr);
    const double now = seconds_now();
    patience_seconds_ -= now - start;
    start = now;
  }
  return true;
}

} // namespace dprof
