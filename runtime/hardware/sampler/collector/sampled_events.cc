// Stage: sampler. perf_event_open for each event and processor. A program with threads needs a ring for each processor,
// because the kernel maps no ring that several tasks write.
#include "sampled_events.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace dprof {
namespace {

constexpr size_t page_bytes = 4096;
constexpr size_t process_ring_bytes = 64 << 10;
constexpr size_t aux_record_ring_bytes = 64 << 10; // it only says what is new in the other one

int open_event(const perf_event_attr &attributes, bool is_of_processors, int cpu, int group) {
  int file =
      (int)syscall(SYS_perf_event_open, &attributes, is_of_processors ? -1 : 0, cpu, group, PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : file;
}

std::vector<unsigned> online_cpus() {
  std::vector<unsigned> cpus = parse_cpu_list(read_line("/sys/devices/system/cpu/online"));
  return cpus.empty() ? std::vector<unsigned>{0} : cpus;
}

// An event for threads, processes and their mappings; it counts nothing itself.
perf_event_attr process_attributes() {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  attributes.disabled = attributes.enable_on_exec = attributes.inherit = 1;
  attributes.task = attributes.comm = attributes.comm_exec = attributes.mmap = attributes.mmap2 = 1;
  attributes.sample_id_all = 1;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.watermark = 1;
  attributes.wakeup_watermark = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  return attributes;
}

} // namespace

int try_open(const EventSource &source) {
  const int cpu = source.cpus.empty() ? (int)online_cpus()[0] : (int)source.cpus[0];
  int leader = source.has_leader ? open_event(source.leader, source.is_of_processors, cpu, -1) : -1;
  if (source.has_leader && leader < 0) return -leader;
  int file = open_event(source.attributes, source.is_of_processors, cpu, leader);
  if (leader >= 0) close(leader);
  if (file < 0) return -file;
  close(file);
  return 0;
}

SampledEvents::SampledEvents(const std::vector<EventSource> &sources, size_t ring_bytes, uint64_t seed)
    : sources_(sources), ring_bytes_(ring_bytes), random_(seed ^ 0x5bd1e9955bd1e995) {
  for (EventSource &source : sources_) {
    if (source.origin == Origin::spe) source.attributes.aux_watermark = page_bytes;
    source.attributes.watermark = 1;
    source.attributes.wakeup_watermark = (uint32_t)std::min<size_t>(ring_bytes / 4, UINT32_MAX);
  }
}

SampledEvents::~SampledEvents() {
  for (auto [at, bytes] : mappings_) munmap(at, bytes);
  for (const Opened &opened : opened_) close(opened.file);
  for (int file : others_) close(file);
}

uint64_t SampledEvents::draw(uint64_t below) {
  uint64_t x = random_ += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) % below;
}

// Draws between nine tenths and eleven tenths of the source's period.
uint64_t SampledEvents::draw_period(const EventSource &source) {
  // The event of a processor counts for threads that already run: a new period would make it begin again.
  if (source.has_one_period || (source.is_of_processors && has_begun_)) return source.attributes.sample_period;
  const uint64_t tenth = source.period / 10;
  const uint64_t drawn = source.period - tenth + draw(2 * tenth + 1);
  return std::max<uint64_t>(drawn / source.period_step, 1) * source.period_step;
}

int SampledEvents::map_ring(int file, size_t wanted, std::deque<Ring> *to) {
  for (size_t bytes = wanted; bytes >= page_bytes; bytes /= 2) {
    void *at = mmap(nullptr, page_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED && (errno == EPERM || errno == ENOMEM)) continue; // perf_event_mlock_kb
    if (at == MAP_FAILED) return errno;
    mappings_.push_back({at, page_bytes + bytes});
    to->emplace_back((perf_event_mmap_page *)at, (const uint8_t *)at + page_bytes, bytes);
    wakers_.push_back({file, POLLIN, 0});
    if (to == &sample_rings_ && wanted == ring_bytes_) ring_bytes_ = std::min(ring_bytes_, bytes);
    return 0;
  }
  return ENOMEM;
}

// Maps the AUX area behind the ring of the event that was mapped last.
int SampledEvents::map_aux(int file) {
  auto *page = (perf_event_mmap_page *)mappings_.back().first;
  for (size_t bytes = ring_bytes_; bytes >= page_bytes; bytes /= 2) {
    page->aux_offset = mappings_.back().second;
    page->aux_size = bytes;
    void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)page->aux_offset);
    if (at == MAP_FAILED && (errno == EPERM || errno == ENOMEM)) continue;
    if (at == MAP_FAILED) return errno;
    mappings_.push_back({at, bytes});
    sample_rings_.back().attach_aux((const uint8_t *)at, bytes);
    return 0;
  }
  return ENOMEM;
}

int SampledEvents::open_processes(unsigned cpu) {
  const int file = open_event(process_attributes(), false, (int)cpu, -1);
  if (file < 0) return -file;
  others_.push_back(file);
  return map_ring(file, process_ring_bytes, &process_rings_);
}

int SampledEvents::open_source(size_t index, unsigned cpu, int *ring_file) {
  const EventSource &source = sources_[index];
  int leader = -1;
  if (source.has_leader) {
    leader = open_event(source.leader, source.is_of_processors, (int)cpu, -1);
    if (leader < 0) return -leader;
    others_.push_back(leader);
  }
  const int file = open_event(source.attributes, source.is_of_processors, (int)cpu, leader);
  if (file < 0) return -file;
  opened_.push_back({file, index});
  uint64_t identifier = 0;
  if (ioctl(file, PERF_EVENT_IOC_ID, &identifier) != 0) return errno;
  identifiers_[identifier] = (int)index;
  if (source.origin == Origin::spe) {
    if (int error = map_ring(file, aux_record_ring_bytes, &sample_rings_)) return error;
    return map_aux(file);
  }
  if (*ring_file >= 0) return ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, *ring_file) == 0 ? 0 : errno;
  *ring_file = file;
  return map_ring(file, ring_bytes_, &sample_rings_);
}

int SampledEvents::open() {
  const std::vector<unsigned> cpus = online_cpus();
  for (unsigned cpu : cpus)
    if (int error = open_processes(cpu)) return error;
  for (unsigned cpu : cpus) {
    int ring_file = -1;
    for (size_t source = 0; source < sources_.size(); source++) {
      const std::vector<unsigned> &own = sources_[source].cpus;
      if (!own.empty() && std::find(own.begin(), own.end(), cpu) == own.end()) continue;
      if (int error = open_source(source, cpu, &ring_file)) return error;
    }
  }
  draw_periods();
  return 0;
}

void SampledEvents::draw_periods() {
  std::vector<uint64_t> periods;
  for (const EventSource &source : sources_) periods.push_back(draw_period(source));
  for (const Opened &opened : opened_) {
    if (periods[opened.source] == sources_[opened.source].attributes.sample_period) continue;
    ioctl(opened.file, PERF_EVENT_IOC_PERIOD, &periods[opened.source]);
  }
  for (size_t source = 0; source < sources_.size(); source++)
    sources_[source].attributes.sample_period = periods[source];
}

void SampledEvents::begin() {
  has_begun_ = true;
  for (const Opened &opened : opened_)
    if (sources_[opened.source].is_of_processors) ioctl(opened.file, PERF_EVENT_IOC_ENABLE, 0);
}

void SampledEvents::end() {
  for (const Opened &opened : opened_) ioctl(opened.file, PERF_EVENT_IOC_DISABLE, 0);
}

int SampledEvents::find(uint64_t identifier) const {
  auto found = identifiers_.find(identifier);
  return found == identifiers_.end() ? -1 : found->second;
}

bool SampledEvents::counts_lost() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const EventSource &source) { return (source.attributes.read_format & PERF_FORMAT_LOST) != 0; });
}

std::vector<uint64_t> SampledEvents::read_lost() const {
  std::vector<uint64_t> lost(sources_.size());
  struct {
    uint64_t value, lost;
  } counts;
  for (const Opened &opened : opened_)
    if (read(opened.file, &counts, sizeof counts) == (ssize_t)sizeof counts) lost[opened.source] += counts.lost;
  return lost;
}

} // namespace dprof
