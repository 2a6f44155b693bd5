// Stage: sampler. One thread answers the program and empties its rings when they are full; the caller's thread brings
// samples and events into one order.
#include "sampled_program.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "../../../lib/system.h"
#include "../../../recorder/clock.h"
#include "../../../recorder/shared_file.h"
#include "../../code/debug_info.h"
#include "dprof/sampler_session.h"
#include "heap.h"
#include "mapped_ranges.h"
#include "samples_file.h"
#include "threads_of_program.h"
#include "time_ordered.h"
#include "typed_tables.h"

namespace dprof {
namespace {

constexpr uint32_t unknown_site = 0xffffffff;
constexpr uint64_t first_kernel_address = 1ull << 63;
// Events that wait for their samples; beyond, the program waits too.
constexpr size_t most_held = 1 << 22;
constexpr unsigned misc_mode = 7, misc_kernel = 1;
constexpr uint64_t operation_store = 4; // PERF_MEM_OP_STORE

struct EarlierEvent {
  bool operator()(const HeapEvent &a, const HeapEvent &b) const { return is_earlier(a, b); }
};
struct EarlierSample {
  bool operator()(const Sample &a, const Sample &b) const { return a.time_ns < b.time_ns; }
};

} // namespace

struct SampledProgram::State {
  // One program that the process runs; when it executes another one, that is the next.
  struct Image {
    std::unique_ptr<DebugInfo> debug_info;
    MappedRanges ranges;
    std::vector<std::unique_ptr<DebugInfo>> retired; // from before other modules took the place of some

    // For code that runs. A module that was looked at while it was being loaded may be known only in part.
    bool is_known(uint64_t address) const;
    void look_again(pid_t process);
  };
  struct Typing {
    uint32_t type = 0;
    uint64_t offset = 0;
    const char *reason = nullptr; // if `type` is 0
  };

  State(const Wishes &wishes, SamplesFile &file)
      : wishes(wishes), file(file), types(wishes.seed, wishes.most_objects), heap(types) {}

  dprof_sampler_control &control() { return *(dprof_sampler_control *)session.address(); }
  void serve();
  void answer();
  void begin_program();
  void answer_site();
  void read_rings(bool is_over);
  uint32_t number_site(uint32_t index, bool is_code);
  void refresh();
  void apply(const HeapEvent &event);
  void type_sample(const Sample &sample);
  Typing find_type(const Sample &sample, LiveObject **object);
  Typing within(uint32_t type, const TypeLayout &layout, uint64_t offset, uint64_t bytes);

  const Wishes wishes;
  SamplesFile &file;
  SharedFile session;
  std::mutex mutex; // everything below
  std::thread server;
  std::atomic<bool> is_over = false;

  pid_t process = 0;
  std::vector<std::unique_ptr<Image>> images; // the last is the one that runs
  size_t merged_image = 0;                    // that samples are of at the moment
  bool has_begun = false;
  bool is_stale = false; // there are mappings that have not been looked at

  std::unique_ptr<EventLog> log;
  TimeOrdered<HeapEvent, EarlierEvent> held;
  TimeOrdered<Sample, EarlierSample> samples;
  std::vector<Site> sites;             // of all images
  std::vector<uint32_t> site_of_index; // of the session's, of the image that runs; + 1
  std::map<std::string, uint64_t> untyped;
  TypeTable types;
  Heap heap;
  ThreadsOfProgram threads;
  CodePlaces places;
  RowTable rows;
  uint64_t late = 0, settled_ns = 0;
};

SampledProgram::SampledProgram(const Wishes &wishes, SamplesFile &file)
    : state_(std::make_unique<State>(wishes, file)) {}

SampledProgram::~SampledProgram() {
  if (!state_->server.joinable()) return;
  state_->is_over = true;
  store(&state_->control().wake, 1u);
  futex_wake(&state_->control().wake);
  state_->server.join();
}

int SampledProgram::create() {
  const size_t there = offsetof(dprof_sampler_control, rings) + sizeof(dprof_sampler_ring);
  if (int error = state_->session.create("dprof-sampler-", sizeof(dprof_sampler_control), there)) return error;
  dprof_sampler_control &control = state_->control();
  control.version = DPROF_SAMPLER_VERSION;
  control.sampler_pid = (uint32_t)getpid();
  control.is_traced = state_->wishes.is_traced;
  store<uint32_t>(&control.magic, DPROF_SAMPLER_MAGIC);
  state_->log = std::make_unique<EventLog>(control);
  state_->site_of_index.resize(DPROF_CALL_SITES);
  state_->server = std::thread([this] { state_->serve(); });
  return 0;
}

std::string SampledProgram::session() const { return state_->session.path(); }

void SampledProgram::come(pid_t process) {
  std::lock_guard<std::mutex> locked(state_->mutex);
  if (state_->process) return;
  state_->process = process;
  state_->images.push_back(std::make_unique<State::Image>());
  state_->images.back()->debug_info = std::make_unique<DebugInfo>(process);
  state_->is_stale = true;
}

// Runs until the program is over. The program's questions must not wait for the caller's next `poll`.
void SampledProgram::State::serve() {
  while (!is_over) {
    futex_wait(&control().wake, 0, 50);
    __atomic_store_n(&control().wake, 0u, __ATOMIC_SEQ_CST);
    std::lock_guard<std::mutex> locked(mutex);
    answer();
    read_rings(false);
  }
}

void SampledProgram::State::answer() {
  switch (load(&control().request)) {
    case DPROF_SAMPLER_BEGIN: begin_program(); break;
    case DPROF_SAMPLER_ASK_SITE: answer_site(); break;
    default: return;
  }
  store<uint32_t>(&control().request, DPROF_SAMPLER_NOTHING);
  futex_wake(&control().request);
}

void SampledProgram::State::begin_program() {
  read_rings(true); // nobody is left who writes them
  if (has_begun) {
    held.items().push_back({now_ns(), 0, 0, DPROF_SAMPLER_EXEC, 0, unknown_site, 0, 0, 0});
    memset(&control().sites, 0, sizeof control().sites);
    std::fill(site_of_index.begin(), site_of_index.end(), 0);
  } else if (process != (pid_t)control().program_pid) {
    images.clear(); // it is the recorder's
  }
  process = (pid_t)control().program_pid;
  if (has_begun || images.empty()) {
    images.push_back(std::make_unique<Image>());
    images.back()->debug_info = std::make_unique<DebugInfo>(process);
  }
  has_begun = true;
  refresh();
}

void SampledProgram::State::answer_site() {
  const uint32_t index = control().request_site % DPROF_CALL_SITES;
  dprof_call_site &entry = control().sites.entries[index];
  Image &image = *images.back();
  if (!image.is_known(entry.address - 1)) refresh();
  if (!image.is_known(entry.address - 1)) image.look_again(process);
  CallType call = image.debug_info->type_at_call(entry.address, control().request_bytes);
  Site &site = sites[number_site(index, true)];
  uint32_t answer = call.is_wrapper ? DPROF_SITE_WRAPPER : DPROF_SITE_OTHER;
  if (!call.layout.name.empty() && call.layout.bytes > 0) {
    site.layout = call.layout;
    site.type = types.of_layout(call.layout, TypingRule::object);
    answer = DPROF_SITE_FIRST_TYPE;
  }
  store(&entry.offset, call.offset >= 0 && call.offset <= INT32_MAX ? (int32_t)call.offset : DPROF_SITE_OFFSET_UNKNOWN);
  store(&entry.answer, answer);
  futex_wake(&entry.answer);
}

// `is_code`: it is a call's.
uint32_t SampledProgram::State::number_site(uint32_t index, bool is_code) {
  if (index >= DPROF_CALL_SITES) return unknown_site;
  uint32_t &number = site_of_index[index];
  if (number) return number - 1;
  Site site = {load(&control().sites.entries[index].address)};
  if (is_code) {
    site.place = places.place(images.back()->debug_info.get(), site.address - 1);
    site.function = places.rows()[site.place].place.function;
  }
  sites.push_back(site);
  number = (uint32_t)sites.size();
  return number - 1;
}

void SampledProgram::State::read_rings(bool is_over) {
  if (images.empty() || (held.size() > most_held && !is_over)) return;
  std::vector<HeapEvent> &items = held.items();
  size_t fresh = items.size();
  log->read(&items, is_over);
  for (; fresh < items.size(); fresh++) {
    HeapEvent &event = items[fresh];
    late += event.time_ns < settled_ns;
    event.site = number_site(event.site, event.kind != DPROF_SAMPLER_LOCALS);
  }
}

bool SampledProgram::State::Image::is_known(uint64_t address) const {
  const MappedRange *range = ranges.find(address);
  return range && (!range->is_file || debug_info->has_module(range->begin, range->end));
}

void SampledProgram::State::Image::look_again(pid_t process) {
  retired.push_back(std::move(debug_info));
  debug_info = std::make_unique<DebugInfo>(process);
}

// To be done before a module is gone.
void SampledProgram::State::refresh() {
  is_stale = false;
  if (images.empty()) return;
  Image &image = *images.back();
  if (image.ranges.read(process))
    image.look_again(process); // other code is where some was
  else
    image.debug_info->refresh();
}

void SampledProgram::mapped() {
  std::lock_guard<std::mutex> locked(state_->mutex);
  state_->is_stale = true;
}

void SampledProgram::poll() {
  std::lock_guard<std::mutex> locked(state_->mutex);
  if (state_->is_stale) state_->refresh();
  state_->answer();
  state_->read_rings(false);
}

void SampledProgram::add(const Sample &sample) {
  std::lock_guard<std::mutex> locked(state_->mutex);
  state_->samples.items().push_back(sample);
}

void SampledProgram::State::apply(const HeapEvent &event) {
  const Site *of = event.site == unknown_site ? nullptr : &sites[event.site];
  switch (event.kind) {
    case DPROF_SAMPLER_EXEC:
      heap.end_all(event.time_ns);
      threads.clear();
      merged_image++;
      return;
    case DPROF_SAMPLER_THREAD:
    case DPROF_SAMPLER_LOCALS: return threads.apply(event, of ? of->address : 0);
    case DPROF_SAMPLER_END_THREAD: threads.apply(event, 0); [[fallthrough]];
    default: heap.apply(event, of);
  }
}

// An array counts as its elements, as far as they are of one size.
SampledProgram::State::Typing SampledProgram::State::within(uint32_t type, const TypeLayout &layout, uint64_t offset,
                                                            uint64_t bytes) {
  if (layout.bytes == 0) return {type, 0};
  return {type, elements_of(layout, bytes) > 1 ? offset % layout.bytes : offset};
}

SampledProgram::State::Typing SampledProgram::State::find_type(const Sample &sample, LiveObject **object) {
  const uint64_t address = sample.address;
  if ((pid_t)sample.pid != process) return {0, 0, "other-process"};
  if (address == 0) return {0, 0, "no-address"};
  if (address >= first_kernel_address) return {0, 0, "kernel"};
  if ((*object = heap.find(address))) {
    const uint64_t offset = address - (*object)->address, before = (*object)->offset;
    if (offset < before) return {0, 0, "allocator-header"};
    return within((*object)->type, types.at((*object)->type).layout, offset - before, (*object)->bytes - before);
  }
  Image &image = *images[merged_image];
  DebugInfo::FoundVariable found = {};
  ThreadsOfProgram::Local local;
  const MappedRange *range = image.ranges.find(address);
  const bool is_local = threads.find_local(address, &local);
  if (is_local)
    found = image.debug_info->local_variable(local.module_address, local.offset);
  else if (image.debug_info->has_module(address))
    found = image.debug_info->variable_at(address);
  if (found.variable)
    return within(types.of_layout(*found.type, TypingRule::variable), *found.type, found.offset,
                  found.variable->end - found.variable->begin);
  if (is_local) return {0, 0, "unknown-variable"};
  if (threads.is_stack(address) || (range && range->name == "[stack]")) return {0, 0, "stack"};
  if (range && range->is_executable) return {0, 0, "code"};
  if (image.debug_info->has_module(address)) return {0, 0, "unknown-variable"};
  return {0, 0, heap.was_used(address) ? "freed" : "unknown-memory"};
}

void SampledProgram::State::type_sample(const Sample &sample) {
  const bool is_ours = (pid_t)sample.pid == process && !images.empty();
  const bool is_in_kernel = (sample.misc & misc_mode) == misc_kernel;
  LiveObject *object = nullptr;
  const Typing typing = is_ours ? find_type(sample, &object) : Typing{0, 0, "other-process"};
  const uint64_t ip = sample.is_behind ? sample.ip - 1 : sample.ip;
  uint32_t place = 0;
  if (is_in_kernel)
    place = places.kernel_place(ip);
  else if (is_ours)
    place = places.place(images[merged_image]->debug_info.get(), ip);
  if (is_ours) threads.note(sample.tid);
  if (object) heap.add_sample(object, sample.address, sample.cpu, sample.data_source & operation_store);
  if (typing.type == 0) untyped[typing.reason]++;
  rows.add({typing.type, typing.offset, place, sample.event, sample.data_source, sample.cpu}, sample);
  if (wishes.keeps_samples) file.add({sample, typing.type, typing.offset, place});
}

void SampledProgram::settle(uint64_t before_ns) {
  State &state = *state_;
  std::lock_guard<std::mutex> locked(state.mutex);
  if (state.is_stale) state.refresh();
  state.read_rings(before_ns == ~0ull);
  state.held.arrange();
  state.samples.arrange();
  // An object is there from its allocation to its free, both included.
  auto is_before = [](const HeapEvent &event, const Sample &sample) {
    if (event.time_ns != sample.time_ns) return event.time_ns < sample.time_ns;
    return event.kind != DPROF_SAMPLER_FREE && event.kind != DPROF_SAMPLER_FREE_PART &&
           event.kind != DPROF_SAMPLER_UNMAP;
  };
  const HeapEvent *event;
  for (const Sample *sample; (sample = state.samples.next()) && sample->time_ns < before_ns; state.samples.take()) {
    for (; (event = state.held.next()) && is_before(*event, *sample); state.held.take()) state.apply(*event);
    state.type_sample(*sample);
  }
  for (; (event = state.held.next()) && event->time_ns < before_ns; state.held.take()) state.apply(*event);
  state.held.give_back_room();
  state.samples.give_back_room();
  state.settled_ns = before_ns;
}

bool SampledProgram::program_came() const {
  std::lock_guard<std::mutex> locked(state_->mutex);
  return state_->has_begun;
}

pid_t SampledProgram::program() const {
  std::lock_guard<std::mutex> locked(state_->mutex);
  return state_->has_begun ? state_->process : 0;
}

int SampledProgram::finish(const SampleFacts &facts) {
  State &state = *state_;
  std::lock_guard<std::mutex> locked(state.mutex);
  const dprof_sampler_control &control = state.control();
  state.types.go_on_to(facts.end_ns);
  const std::map<std::string, uint64_t> notes = {{"asksNs", control.asks_ns},
                                                 {"forks", control.forks},
                                                 {"lateEvents", state.late},
                                                 {"liveObjects", state.heap.live()},
                                                 {"missedInQuestions", control.missed},
                                                 {"overlaps", state.heap.overlaps},
                                                 {"ringsRefused", control.rings_refused},
                                                 {"sites", control.sites.used},
                                                 {"sitesRefused", control.sites.refused},
                                                 {"tornEvents", state.log->torn()},
                                                 {"unknownFrees", state.heap.unknown_frees},
                                                 {"waits", control.waits},
                                                 {"waitsNs", control.waits_ns}};
  state.heap.end_all(0);
  return state.file.finish({{"run", facts.run},
                            {"events", facts.events},
                            {"mappings", facts.mappings},
                            {"names", facts.names},
                            {"threads", facts.changes},
                            {"lost", facts.lost}},
                           {{"modules", describe_modules(state.places)},
                            {"places", describe_places(state.places)},
                            {"types", describe_types(state.types, (double)(facts.end_ns - facts.start_ns))},
                            {"untyped", Json::object(state.untyped)},
                            {"mostObjects", state.wishes.most_objects},
                            {"startNs", Json::decimal(facts.start_ns)},
                            {"endNs", Json::decimal(facts.end_ns)},
                            {"ended", facts.ended},
                            {"threads", state.threads.seen()},
                            {"cpus", facts.cpus},
                            {"startStamp", Json::decimal(facts.start_stamp)},
                            {"endStamp", Json::decimal(facts.end_stamp)},
                            {"trace", facts.trace.empty() ? Json() : facts.trace},
                            {"aslr", facts.aslr},
                            {"notes", Json::object(notes)}},
                           pack_rows(state.rows), pack_objects(state.types));
}

} // namespace dprof
