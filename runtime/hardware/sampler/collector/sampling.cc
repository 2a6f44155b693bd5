// Stage: sampler. One loop: answer the program, read the rings, pass on samples that are old enough, sleep a
// millisecond or until a ring fills.
//
// Each ring is in order of time, except for records whose writing was interrupted by others; rings are read one after
// the other. So samples are held:
// those before a moment are complete once all rings have been read 10 ms after it or later (SPE: 100 ms).
#include "sampling.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <tuple>

#include "../../../lib/system.h"

namespace dprof {
namespace {

constexpr int sleep_ms = 1;
constexpr uint64_t settling_ns = 10000000, settling_with_packets_ns = 100000000;

uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

Instant now() {
  uint32_t cpu;
  return {monotonic_ns(), read_clock(&cpu)};
}

template <typename T> T read_at(const uint8_t *record, size_t bytes, size_t at) {
  T value = {};
  if (at + sizeof value <= bytes) memcpy(&value, record + at, sizeof value);
  return value;
}

} // namespace

int Sampling::run(pid_t child) {
  processes_ = std::make_unique<ProcessEvents>(child, is_traced_);
  samples_.assign(events_.sources().size(), 0);
  start_ = now();
  events_.begin();
  uint64_t candidate_ns = start_.ns;
  // A processor hands packets over by the page, or when a thread leaves it.
  const bool has_packets = std::any_of(events_.sources().begin(), events_.sources().end(),
                                       [](const EventSource &source) { return source.origin == Origin::spe; });
  const uint64_t settle_after_ns = has_packets ? settling_with_packets_ns : settling_ns;
  int status = 0;
  while (true) {
    const uint64_t now_ns = monotonic_ns();
    program_.poll();
    read_rings();
    if (now_ns - candidate_ns >= settle_after_ns) {
      settle(candidate_ns);
      candidate_ns = now_ns;
    }
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno == ECHILD)) break;
    progress_.show(taken_, lost_by_records_);
    wait();
  }
  events_.end();
  end_ = now();
  program_.poll();
  read_rings();
  settle(~0ull);
  processes_->finish();
  count_losses();
  return status;
}

void Sampling::wait() {
  std::vector<pollfd> &wakers = events_.wakers();
  ::poll(wakers.data(), wakers.size(), sleep_ms);
}

// Processes come first: the process of a sample must be known.
void Sampling::read_rings() {
  bool has_threads = false, has_mappings = false;
  for (Ring &ring : events_.process_rings())
    ring.read([&](const uint8_t *record, size_t bytes) {
      const ProcessEvents::News news = processes_->take(record, bytes);
      has_threads |= news == ProcessEvents::News::thread;
      has_mappings |= news == ProcessEvents::News::mapping;
    });
  if (has_threads) events_.draw_periods();
  if (!has_come_ && processes_->program()) {
    has_come_ = true;
    program_.come(processes_->program());
  }
  if (has_mappings && has_come_) program_.mapped();
  for (Ring &ring : events_.sample_rings())
    ring.read([&](const uint8_t *record, size_t bytes) { take(ring, record, bytes); });
}

void Sampling::take(Ring &ring, const uint8_t *record, size_t bytes) {
  constexpr size_t second_word = sizeof(perf_event_header) + sizeof(uint64_t);
  switch (read_at<perf_event_header>(record, bytes, 0).type) {
    case PERF_RECORD_SAMPLE: take_sample(record, bytes); break;
    case PERF_RECORD_LOST: lost_by_records_ += read_at<uint64_t>(record, bytes, second_word); break;
    case PERF_RECORD_LOST_SAMPLES:
      losses_.samples += read_at<uint64_t>(record, bytes, sizeof(perf_event_header));
      break;
    case PERF_RECORD_AUX: take_aux(ring, record, bytes); break;
    case PERF_RECORD_THROTTLE: losses_.throttles++; break;
    default: break;
  }
}

void Sampling::take_sample(const uint8_t *record, size_t bytes) {
  uint64_t identifier;
  const int source = read_identifier(record, bytes, &identifier) ? events_.find(identifier) : -1;
  Sample sample;
  if (source < 0 || !decode_sample(record, bytes, events_.sources()[source].attributes.sample_type,
                                   events_.sources()[source].origin, cpu_, &sample)) {
    losses_.skipped["samples that are shorter than their fields, or of no event"]++;
    return;
  }
  keep(sample, source);
}

// SPE: packets of one task on one processor. Their times are of the processor's counter, which stamps are of too.
void Sampling::take_aux(Ring &ring, const uint8_t *record, size_t bytes) {
  struct AuxRecord {
    perf_event_header header;
    uint64_t offset, size, flags;
    uint32_t pid, tid;
    uint64_t time_ns;
    uint32_t cpu, reserved;
    uint64_t identifier;
  };
  const auto aux = read_at<AuxRecord>(record, bytes, 0);
  const int source = events_.find(aux.identifier);
  const uint8_t *packets = source < 0 ? nullptr : ring.aux(aux.offset, aux.size);
  losses_.truncated_aux += (aux.flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_COLLISION)) != 0;
  if (packets) {
    const Instant moment = now();
    const double ns_per_tick =
        moment.stamp > start_.stamp ? (double)(moment.ns - start_.ns) / (double)(moment.stamp - start_.stamp) : 0;
    const SpeBuffer read = read_spe_buffer(packets, aux.size, has_source_numbers_);
    for (const SpeSample &spe : read.samples) {
      Sample sample = {};
      sample.ip = spe.ip;
      sample.address = spe.address;
      sample.physical_address = spe.physical_address;
      sample.weight = spe.latency;
      sample.data_source = spe.data_source;
      sample.time_ns =
          spe.timestamp ? moment.ns - (uint64_t)(int64_t)((double)(int64_t)(moment.stamp - spe.timestamp) * ns_per_tick)
                        : aux.time_ns;
      sample.pid = aux.pid;
      sample.tid = spe.thread >= 0 ? (uint32_t)spe.thread : aux.tid;
      sample.cpu = aux.cpu;
      sample.misc = spe.ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
      keep(sample, source);
    }
    if (read.others) losses_.skipped["SPE records of branches and other operations"] += read.others;
    if (read.outcome.bad_bytes) losses_.skipped["bytes that begin no SPE packet"] += read.outcome.bad_bytes;
    if (read.outcome.cut_records) losses_.skipped["SPE records that were cut short"] += read.outcome.cut_records;
  }
  ring.release_aux(aux.offset + aux.size);
}

void Sampling::keep(Sample &sample, int source) {
  const EventSource &event = events_.sources()[source];
  if (!processes_->is_ours(sample.pid)) {
    losses_.skipped["samples of other processes"]++;
  } else if (event.is_kernel_passed_over && (sample.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL) {
    losses_.skipped["samples of the kernel"]++;
  } else {
    sample.event = (uint16_t)source;
    if (event.has_one_period) sample.period = event.period;
    sample.is_behind = event.origin == Origin::breakpoint && event.attributes.bp_type != HW_BREAKPOINT_X;
    losses_.out_of_order += sample.time_ns < settled_ns_;
    taken_++;
    waiting_.push_back(sample);
  }
}

void Sampling::settle(uint64_t before_ns) {
  std::sort(waiting_.begin(), waiting_.end(), [](const Sample &a, const Sample &b) {
    return std::tie(a.time_ns, a.cpu, a.event, a.address) < std::tie(b.time_ns, b.cpu, b.event, b.address);
  });
  size_t count = 0;
  for (; count < waiting_.size() && waiting_[count].time_ns < before_ns; count++) {
    if (waiting_[count].time_ns < processes_->begin_ns()) continue; // of the recorder, before it became the program
    samples_[waiting_[count].event]++;
    program_.add(waiting_[count]);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + (ptrdiff_t)count);
  program_.settle(before_ns);
  settled_ns_ = before_ns;
}

void Sampling::count_losses() {
  if (processes_->lost()) losses_.skipped["records of threads and mappings that found no room"] = processes_->lost();
  if (processes_->passed_over())
    losses_.skipped["names and ends of threads behind the first million"] = processes_->passed_over();
  losses_.records = lost_by_records_;
  if (!events_.counts_lost()) return;
  losses_.records = 0;
  for (uint64_t lost : events_.read_lost()) losses_.records += lost;
}

} // namespace dprof
