// Stage: blocks. One child for each block: first copies that log their addresses, until all pages are there; then
// timings, again while the system disturbs them.
#include "measure.h"

#include <string.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "monitor.h"
#include "timing.h"

namespace dprof {
namespace {

constexpr int most_attempts = 20, most_vain_attempts = 2;
// Rounds. Memory renaming and the front end learn some blocks slowly, and forget them behind the next kind of timing.
constexpr unsigned short_warm_up = 3, long_warm_up = 96;
constexpr double most_difference = 0.01, least_difference_cycles = 1.5; // between attempts that agree
constexpr size_t enough_instructions = 1000;
constexpr double most_uneven = 0.15;
constexpr const char uneven[] = "uneven";                    // never the last word
constexpr double most_cycles = 40000, enough_cycles = 15000; // of a timing
constexpr uint32_t denormal = 1 << 1, underflow = 1 << 4;    // sticky, of MXCSR and of the x87 status word
constexpr uint16_t stack_fault = 1 << 6;                     // of the x87 status word

long switches(const SharedWindow &window, unsigned field) {
  rusage usage;
  memcpy(&usage, window.bytes + DESK + field, sizeof usage);
  return usage.ru_nivcsw;
}

bool has_naive(const Factors &factors) { return !factors.left_out_reason && factors.all >= naive_copies; }

size_t middle_of(const Factors &factors) { return (factors.more + factors.fewer) / 2; }

// The second half of the copies between the two numbers takes as long as the first. Where copies are left out, too few
// may be left for the block to come to its pace.
bool are_even(const Factors &factors, double fewer, double middle, double more) {
  const double copies = (double)middle_of(factors);
  const double first = (middle - fewer) / (copies - (double)factors.fewer),
               second = (more - middle) / ((double)factors.more - copies);
  return std::abs(first - second) <= most_uneven * std::max(first, second);
}

// Without two numbers of copies only the naive timing has any.
void order_timings(SharedWindow &window, Unroller &copies, const Factors &factors, const Method &method,
                   bool is_counted) {
  const size_t fewer = method.takes_two_numbers ? factors.fewer : 0, more = method.takes_two_numbers ? factors.more : 0,
               third = factors.left_out_reason ? middle_of(factors)
                       : has_naive(factors)    ? naive_copies
                                               : 0;
  const uint64_t entries[KINDS] = {
      copies.put_entry(KIND_EMPTY, 0), copies.put_entry(KIND_FEWER, fewer), copies.put_entry(KIND_MORE, more),
      harness_address(is_counted ? dprof_harness_probe_counted : dprof_harness_probe_timed),
      copies.put_entry(KIND_NAIVE, third)};
  for (unsigned kind = 0; kind < KINDS; kind++) {
    window.set_desk(DESK_ENTRIES + kind * 8, entries[kind]);
    window.set_desk(DESK_CHAINS + kind * 8, turns_of(kind));
  }
  window.set_desk(DESK_TIMINGS, timings);
}

// Fewer copies of a block that takes long: it would be interrupted. The invariants hold for fewer, too.
bool shorten(Factors *factors, double cycles) {
  if (cycles < most_cycles || factors->more <= fewest_copies) return false;
  const double copies = (double)factors->more * enough_cycles / cycles;
  factors->more = std::max(fewest_copies, (size_t)copies);
  factors->fewer = std::max<size_t>(factors->more / 4, 1);
  return true;
}

// The copies from the one that breaks an invariant or crashes: the stack of a block that pushes more than it pops walks
// until it meets other data, or through more pages than there may be. Both numbers must be more than the processor has
// under way at once, or what begins a run counts.
bool leave_out(Factors *factors, const Block &block, size_t broken_copy, const char *status, const char *reason) {
  if (broken_copy >= factors->more) return true; // it is in the naive timing alone
  if (broken_copy * block.instructions.size() < enough_instructions) return false;
  *factors = {broken_copy, broken_copy / 2, factors->all, status, reason};
  return true;
}

// What disturbs a whole attempt evenly is seen in the next one.
bool agree(double cycles, double earlier, size_t copies) {
  const double least = least_difference_cycles / (double)copies;
  return std::abs(cycles - earlier) <= std::max(std::min(cycles, earlier) * most_difference, least);
}

} // namespace

Meter::Meter() : is_counted_(can_count_cycles()), cache_(host_cache()) {
  __builtin_cpu_init();
  window_.has_avx512 = __builtin_cpu_supports("avx512f");
  is_probed_ = __builtin_cpu_supports("avx2");
  watch_time();
}

// "" if the timings are good.
const char *Meter::read_timings(const Factors &factors, const Method &method, Measurement *to) {
  if (switches(window_, DESK_USAGE_BEFORE) != switches(window_, DESK_USAGE_AFTER)) return "context-switch";
  const double overhead = read_overhead(window_);
  const Series empty = read_series(window_, KIND_EMPTY, overhead), fewer = read_series(window_, KIND_FEWER, overhead),
               more = read_series(window_, KIND_MORE, overhead), naive = read_series(window_, KIND_NAIVE, overhead),
               probe = read_series(window_, KIND_PROBE, overhead);
  for (const Series *series : {&fewer, &more, &probe, &empty, method.takes_two_numbers ? &more : &naive})
    if (*series->problem) return series->problem;
  if (factors.left_out_reason && *naive.problem) return naive.problem;
  if (!keep_pace({&fewer, &more, &probe})) return "calibration";
  if (is_probed_ && PROBE_ADDITIONS / (probe.mean - empty.mean) < least_additions) return "shared-core";
  if (factors.left_out_reason && !are_even(factors, fewer.mean, naive.mean, more.mean)) return uneven;
  const Series &all = method.takes_two_numbers ? more : naive, &less = method.takes_two_numbers ? fewer : empty;
  const double copies = (double)(method.takes_two_numbers ? factors.more - factors.fewer : naive_copies);
  to->cycles = std::max(0.0, (all.mean - less.mean) / copies);
  to->timings.clear();
  for (const double cycles : all.clean) to->timings.push_back((cycles - less.mean) / copies);
  to->naive.reset();
  if (has_naive(factors) && !*naive.problem) to->naive = (naive.mean - empty.mean) / (double)naive_copies;
  return "";
}

Measurement Meter::measure(const Block &block, const Method &method) {
  for (Factors factors = block.refusal.empty() ? choose_factors(block) : Factors();;) {
    const size_t all = factors.all;
    const Measurement answer = measure(block, method, &factors);
    if (factors.all == all) return answer;
  }
}

Measurement Meter::measure(const Block &block, const Method &method, Factors *factors) {
  Measurement answer;
  const auto end = [&](const char *status, const std::string &reason) {
    answer.status = status;
    answer.reason = reason;
    return answer;
  };
  if (!block.refusal.empty()) return end("rejected", block.refusal);
  answer.factors = *factors;
  if (method.takes_two_numbers && answer.factors.more * block.code.size() > cache_.code_bytes * 3 / 4)
    return end("rejected", "l1i-overflow");
  Unroller copies(block, window_);
  if (!copies.write(answer.factors, is_counted_)) return end("rejected", "too-long");

  window_.set_state(block.width, gradual_underflow);
  Monitor monitor(window_, is_counted_, method.pages);
  refusal = monitor.refusal;
  if (!refusal.empty() && is_counted_) { // the counter may be another's: the clock is always there
    is_counted_ = false;
    return measure(block, method, factors);
  }
  if (!refusal.empty()) return answer;
  Outcome outcome = monitor.run(false, copies.logging_entry());
  answer.pages = monitor.pages;
  if (!outcome.is_finished) {
    const size_t copy = copies.logging_copy_at(outcome.address);
    if (method.takes_two_numbers && leave_out(factors, block, copy, outcome.status, outcome.reason))
      factors->all = factors->more;
    return end(outcome.status, outcome.reason);
  }
  const StickyFlags flags = monitor.sticky_flags();
  answer.has_subnormals = ((flags.mxcsr | flags.x87) & (denormal | underflow)) != 0;
  if (flags.x87 & stack_fault) return end("rejected", "x87-stack");
  if (method.takes_two_numbers) {
    if (flags.x87 & (denormal | underflow)) return end("rejected", "subnormals"); // x87 flushes none to zero
    const BrokenInvariant broken = find_broken(block, window_, answer.factors.more, cache_);
    if (*broken.reason && !leave_out(&answer.factors, block, broken.copy, "rejected", broken.reason))
      return end("rejected", broken.reason);
  }

  const uint32_t kept = method.flushes_subnormals ? flush_to_zero | zero_subnormals : 0;
  window_.set_state(block.width, gradual_underflow | kept);
  order_timings(window_, copies, answer.factors, method, is_counted_);
  const char *problem = "";
  unsigned warm_up = short_warm_up;
  int vain = 0;
  if (is_probed_) core_.add_block();
  std::vector<double> earlier;
  for (int attempt = 0; attempt < most_attempts; attempt++) {
    if (is_probed_ && !core_.wait() && ++vain > most_vain_attempts) return end("unstable", "shared-core");
    window_.set_desk(DESK_WARM_UP, warm_up);
    const bool needs_naive = has_naive(answer.factors) && (!method.takes_two_numbers || !earlier.empty());
    window_.set_desk(DESK_KINDS, needs_naive || answer.factors.left_out_reason ? KINDS : KIND_NAIVE);
    outcome = monitor.run(true);
    answer.pages = monitor.pages;
    if (!outcome.is_finished) return end(outcome.status, outcome.reason);
    if ((monitor.sticky_flags().mxcsr & kept) != kept) return end("rejected", "subnormals");
    problem = read_timings(answer.factors, method, &answer);
    const double overhead = read_overhead(window_);
    if (shorten(&answer.factors, read_series(window_, KIND_MORE, overhead).mean)) {
      order_timings(window_, copies, answer.factors, method, is_counted_);
      problem = "time-limit";
      continue;
    }
    const bool is_quick =
        read_series(window_, method.takes_two_numbers ? KIND_MORE : KIND_NAIVE, overhead).mean < most_cycles;
    if (is_quick && strcmp(problem, "timings-disagree") == 0) warm_up = long_warm_up;
    if (*problem) continue;
    for (const double cycles : earlier)
      if (agree(answer.cycles, cycles,
                method.takes_two_numbers ? answer.factors.more - answer.factors.fewer : naive_copies))
        return end("measured", "");
    earlier.push_back(answer.cycles);
    problem = "attempts-disagree";
  }
  if (problem == uneven) return end(answer.factors.left_out_status, answer.factors.left_out_reason);
  return end("unstable", problem);
}

} // namespace dprof
