// Stage: collector of histories. One loop: answer the program's request, read the rings, look at the limits, sleep.
//
// One watch at a time, so what the registers see between arming and release belongs to it; no time has to be compared
// with another.
#include "taking.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "../../../lib/system.h"
#include "../../code/describe_fields.h"

namespace dprof {
namespace {

constexpr long idle_milliseconds = 20, watching_milliseconds = 2; // root's rings take 50 of one thread's traps
constexpr uint64_t thread_look_ns = 100000000;
constexpr uint64_t line_bytes = 64;
constexpr int looks_before_sleep = 2000;

} // namespace

uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

Taking::Taking(Session &session, HistoriesFile &file, const Wishes &wishes)
    : session_(session), file_(file), wishes_(wishes), registers_(wishes.plan.registers),
      random_(wishes.seed ^ 0x5bd1e9955bd1e995) {
  dprof_histories_control &control = session_.control();
  control.seed = wishes.seed;
  control.one_in = wishes.one_in;
  control.share_lines = wishes.share_lines;
  uint32_t cpu;
  started_ns_ = monotonic_ns();
  first_stamp_ = read_clock(&cpu);
  control.least_gap_ns = wishes.per_second ? 1000000000u / wishes.per_second : 0;
}

uint64_t Taking::draw() {
  uint64_t x = random_ += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

uint32_t Taking::type_number(const TypeLayout &layout) {
  for (uint32_t i = 0; i < types_.size(); i++)
    if (types_[i].layout.name == layout.name && types_[i].layout.bytes == layout.bytes) return i;
  if (types_.size() == DPROF_HISTORIES_TYPES) return DPROF_HISTORIES_TYPES;
  const auto chosen = wishes_.slots_of.find(layout.name);
  if (chosen != wishes_.slots_of.end() && chosen->second.type_bytes != layout.bytes) {
    other_builds_.insert(layout.name + " has " + std::to_string(layout.bytes) + " bytes, and " +
                         std::to_string(chosen->second.type_bytes) + " in the samples");
    return DPROF_HISTORIES_TYPES;
  }
  Type type = {layout, WatchPlan(layout, wishes_.plan, chosen == wishes_.slots_of.end() ? nullptr : &chosen->second)};
  if (type.plan.watches().empty()) return DPROF_HISTORIES_TYPES;
  for (uint32_t watch = 0; watch < type.plan.watches().size(); watch++) type.order.push_back(watch);
  file_.write_json(
      DPROF_HISTORIES_TYPE,
      {{"number", types_.size()},
       {"name", layout.name},
       {"bytes", layout.bytes},
       {"fields", describe_fields(layout.fields)},
       {"slots", Json::list(type.plan.slots(),
                            [](const Slot &slot) -> Json { return {{"offset", slot.offset}, {"bytes", slot.bytes}}; })},
       {"watches",
        Json::list(type.plan.watches(), [](const std::vector<uint32_t> &watch) { return Json::list(watch); })}});
  session_.control().type_bytes[types_.size()] = layout.bytes;
  types_.push_back(type);
  return (uint32_t)types_.size() - 1;
}

void Taking::answer_site(uint32_t index) {
  uint64_t begin = monotonic_ns();
  dprof_call_site &site = session_.control().sites.entries[index];
  CallType call = debug_info_->type_at_call(site.address, session_.control().request.object[0].bytes);
  uint32_t answer = call.is_wrapper ? DPROF_SITE_WRAPPER : DPROF_SITE_OTHER;
  if (!call.layout.name.empty() && call.layout.bytes > 0) {
    const bool is_wanted = wishes_.types.empty() || std::find(wishes_.types.begin(), wishes_.types.end(),
                                                              call.layout.name) != wishes_.types.end();
    uint32_t type = is_wanted ? type_number(call.layout) : DPROF_HISTORIES_TYPES;
    if (type < DPROF_HISTORIES_TYPES)
      answer = DPROF_SITE_FIRST_TYPE + type;
    else
      other_types_.insert(call.layout.name);
  }
  store(&site.offset, call.offset >= 0 && call.offset <= INT32_MAX ? (int32_t)call.offset : DPROF_SITE_OFFSET_UNKNOWN);
  store(&site.is_array, (uint32_t)call.is_array);
  store(&site.answer, answer);
  futex_wake(&site.answer);
  sites_ns_ += monotonic_ns() - begin;
}

void Taking::open_thread(pid_t thread) {
  if (!debug_info_) {
    program_ = (pid_t)session_.control().program_pid;
    debug_info_ = std::make_unique<DebugInfo>(program_);
  } else if (thread == program_) { // the first thread, once more: another program in the place of this one
    release(DPROF_ENDING_EXEC, nullptr);
    write_places();
    debug_info_ = std::make_unique<DebugInfo>(program_);
    for (dprof_call_site &site : session_.control().sites.entries) site = {};
  }
  late_threads_.erase(thread);
  ended_threads_.erase(thread);
  threads_++;
  int error = registers_.open_thread(thread);
  if (!error) return;
  unwatched_threads_++;
  refused_threads_.insert(thread);
  if (registers_.threads() > 0) return;
  refusal_ = error;
  available_registers_ = count_registers(wishes_.plan.registers, thread);
  kill(program_, SIGKILL);
}

void Taking::look_for_threads() {
  if (!debug_info_ || monotonic_ns() - looked_ns_ < thread_look_ns) return;
  looked_ns_ = monotonic_ns();
  DIR *folder = opendir(("/proc/" + std::to_string(program_) + "/task").c_str());
  if (!folder) return;
  std::set<pid_t> gone = registers_.numbers(), still_listed;
  while (const dirent *entry = readdir(folder)) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread <= 0 || gone.erase(thread) || refused_threads_.contains(thread)) continue;
    if (ended_threads_.contains(thread))
      still_listed.insert(thread);
    else if (registers_.open_thread(thread) == 0)
      late_threads_.insert(thread);
  }
  closedir(folder);
  ended_threads_ = std::move(still_listed);
  for (pid_t thread : gone) registers_.close_thread(thread);
}

// A program that treats every third object alike must not meet every third watch.
void Taking::shuffle(std::vector<uint32_t> *order) {
  for (size_t i = order->size(); i > 1; i--) std::swap((*order)[i - 1], (*order)[draw() % i]);
}

// A part of the object that is one of its type, whose slots no register has to be split for.
bool Taking::plan_alone(const dprof_histories_object &object, Watched *watched) {
  Type &type = types_[object.type];
  if (type.watch == 0) shuffle(&type.order);
  const uint64_t elements = object.is_array ? elements_of(type.layout, object.bytes - object.offset) : 1,
                 first = elements > 1 ? draw() % elements : 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(elements, wishes_.plan.width); i++) {
    uint64_t base = object.offset + (first + i) % elements * type.layout.bytes;
    watched->slots.clear();
    bool fits = true;
    for (uint32_t slot : type.plan.watches()[type.order[type.watch]]) {
      watched->slots.push_back(type.plan.slots()[slot]);
      fits &= (object.address + base + type.plan.slots()[slot].offset) % type.plan.slots()[slot].bytes == 0;
    }
    if (!fits) continue;
    watched->history.object = object;
    watched->history.element = base;
    watched->history.set = type.set;
    watched->history.watch = type.order[type.watch];
    watched->base = object.address + base;
    if (++type.watch == type.plan.watches().size()) {
      type.watch = 0;
      type.set++;
    }
    return true;
  }
  type.misaligned++;
  return false;
}

// Half of the registers for the slots of each in the line that both have bytes in; where there are more, those that are
// drawn.
bool Taking::plan_together(const dprof_histories_object *objects, Watched *watched) {
  const uint64_t begin = std::max(objects[0].address, objects[1].address) / line_bytes * line_bytes;
  for (int i = 0; i < 2; i++) {
    Type &type = types_[objects[i].type];
    std::vector<std::pair<uint64_t, Slot>> inside; // by element
    const uint64_t elements = objects[i].is_array ? elements_of(type.layout, objects[i].bytes - objects[i].offset) : 1;
    for (uint64_t element = 0; element < elements; element++) {
      const uint64_t base = objects[i].offset + element * type.layout.bytes;
      if (objects[i].address + base >= begin + line_bytes) break;
      for (const Slot &slot : type.plan.slots()) {
        const uint64_t at = objects[i].address + base + slot.offset;
        if (at >= begin && at + slot.bytes <= begin + line_bytes && at % slot.bytes == 0)
          inside.push_back({base, slot});
      }
    }
    const size_t count = std::min<size_t>(inside.size(), wishes_.plan.registers / 2);
    if (count == 0) {
      type.misaligned++;
      return false;
    }
    const size_t first = inside.size() > count ? draw() % (inside.size() - count + 1) : 0;
    for (size_t slot = first; slot < first + count; slot++) {
      if (inside[slot].first != inside[first].first) break; // of one element
      watched[i].slots.push_back(inside[slot].second);
    }
    watched[i].history.object = objects[i];
    watched[i].history.element = inside[first].first;
    watched[i].history.set = type.set++;
    watched[i].base = objects[i].address + inside[first].first;
  }
  watched[0].history.partner = file_.histories() + 2;
  watched[1].history.partner = file_.histories() + 1;
  return true;
}

void Taking::arm() {
  dprof_histories_request &request = session_.control().request;
  uint64_t begin = monotonic_ns();
  Watched watched[2] = {};
  if (wishes_.sets && types_[request.object[0].type].set >= wishes_.sets) {
    types_[request.object[0].type].enough++;
    return;
  }
  if (request.objects == 2 ? !plan_together(request.object, watched) : !plan_alone(request.object[0], watched)) return;
  std::vector<Watchpoint> points;
  for (uint32_t i = 0; i < request.objects; i++)
    for (const Slot &slot : watched[i].slots) points.push_back({watched[i].base + slot.offset, slot.bytes});
  if (int error = registers_.arm(points)) {
    refusal_ = error;
    return;
  }
  for (uint32_t i = 0; i < request.objects; i++) {
    watched[i].history.armed_ns = monotonic_ns();
    watched_.push_back(watched[i]);
    store<uint64_t>(&session_.control().watched[i], request.object[i].address);
  }
  turned_away_ = turned_away();
  armed_ns_ += monotonic_ns() - begin;
}

// Sorts what was seen, by time, into the histories that are under way.
void Taking::collect(std::vector<Sighting> *seen) {
  // One access to bytes of two slots is two sightings of one time or nearly so; by address, where it is one.
  std::sort(seen->begin(), seen->end(), [](const Sighting &a, const Sighting &b) {
    return std::tie(a.time_ns, a.address) < std::tie(b.time_ns, b.address);
  });
  for (const Sighting &sighting : *seen) {
    bool is_known = false;
    for (Watched &watched : watched_)
      for (const Slot &slot : watched.slots) {
        if (is_known || watched.base + slot.offset != sighting.address) continue;
        watched.history.elements.push_back(
            {(uint32_t)slot.offset, (uint8_t)slot.bytes, sighting.ip, sighting.cpu, sighting.thread, sighting.time_ns});
        if (known_places_.try_emplace(sighting.ip, true).second) new_places_.push_back(sighting.ip);
        is_known = true;
      }
    stray_ += !is_known;
  }
  seen->clear();
}

void Taking::release(dprof_histories_ending ending, const dprof_histories_object *by) {
  if (watched_.empty()) return;
  uint64_t begin = monotonic_ns();
  registers_.release();
  registers_.drain(&seen_);
  store<uint64_t>(&session_.control().watched[0], 0);
  store<uint64_t>(&session_.control().watched[1], 0);
  collect(&seen_);
  for (Watched &watched : watched_) {
    History &history = watched.history;
    history.ending =
        ending == DPROF_ENDING_FREE && by->address != history.object.address ? DPROF_ENDING_PARTNER : ending;
    history.ended_ns = by ? by->time_ns : begin;
    if (by) {
      history.ended_ip = by->site;
      history.ended_thread = by->thread;
      history.ended_cpu = by->cpu;
    }
    for (uint64_t ip : {history.object.site, history.ended_ip})
      if (ip && known_places_.try_emplace(ip, true).second) new_places_.push_back(ip);
    endings_[history.ending]++;
    types_[history.object.type].histories++;
    types_[history.object.type].elements += history.elements.size();
    file_.add(history);
  }
  watched_.clear();
  released_ns_ += monotonic_ns() - begin;
}

// What an address is has to be found while its module is mapped, and known before the rows that name it are written.
void Taking::write_places() {
  if (!new_places_.empty()) {
    file_.write_json(DPROF_HISTORIES_PLACES, Json::list(new_places_, [&](uint64_t ip) -> Json {
                       Place place = debug_info_->place(ip - 1); // of the instruction that did it
                       return {{"ip", Json::hexadecimal(ip)}, {"function", place.function}, {"within", place.within},
                               {"file", place.file},          {"line", place.line},         {"column", place.column},
                               {"module", place.module},      {"offset", place.offset}};
                     }));
    new_places_.clear();
  }
  file_.flush();
}

bool Taking::has_enough() const {
  if (wishes_.sets == 0 || types_.empty()) return false;
  for (const std::string &name : wishes_.types)
    if (std::none_of(types_.begin(), types_.end(), [&](const Type &type) { return type.layout.name == name; }))
      return false;
  return std::all_of(types_.begin(), types_.end(), [&](const Type &type) { return type.set >= wishes_.sets; });
}

void Taking::look_at_limits() {
  if (watched_.empty()) return;
  size_t elements = 0;
  for (const Watched &watched : watched_) elements += watched.history.elements.size();
  if (wishes_.most_elements && elements >= wishes_.most_elements)
    release(DPROF_ENDING_ELEMENTS, nullptr);
  else if (wishes_.longest_ns && turned_away() > turned_away_ &&
           monotonic_ns() - watched_[0].history.armed_ns >= wishes_.longest_ns)
    release(DPROF_ENDING_LONGEST, nullptr);
}

uint64_t Taking::turned_away() const {
  uint64_t count = 0;
  for (size_t type = 0; type < types_.size(); type++) count += load(&session_.control().busy[type]);
  return count;
}

bool Taking::handle_request() {
  dprof_histories_request &request = session_.control().request;
  uint32_t kind = load(&request.kind);
  if (kind == DPROF_REQUEST_NONE) return false;
  switch (kind) {
    case DPROF_REQUEST_SITE: answer_site(request.site); break;
    case DPROF_REQUEST_THREAD: open_thread((pid_t)request.thread); break;
    case DPROF_REQUEST_END_THREAD:
      registers_.close_thread((pid_t)request.thread);
      ended_threads_.insert((pid_t)request.thread);
      break;
    case DPROF_REQUEST_ARM:
      if (watched_.empty()) arm();
      break;
    case DPROF_REQUEST_RELEASE: {
      const dprof_histories_object by = request.object[0];
      for (const Watched &watched : watched_)
        if (watched.history.object.address == by.address) {
          release(DPROF_ENDING_FREE, &by);
          break;
        }
    }
  }
  if (has_enough() && watched_.empty()) store<uint32_t>(&session_.control().state, DPROF_HISTORIES_DONE);
  store<uint32_t>(&request.kind, DPROF_REQUEST_NONE);
  futex_wake(&request.kind);
  return true;
}

void Taking::sleep(long milliseconds) {
  dprof_histories_control &control = session_.control();
  for (int look = 0; look < looks_before_sleep; look++)
    if (load(&control.request.kind) != DPROF_REQUEST_NONE) return;
  futex_wait(&control.wake, 0, milliseconds);
  __atomic_store_n(&control.wake, 0u, __ATOMIC_SEQ_CST);
}

int Taking::run(pid_t child) {
  uint32_t cpu;
  int status = 0;
  while (true) {
    while (handle_request()) continue;
    registers_.drain(&seen_);
    collect(&seen_);
    look_at_limits();
    look_for_threads();
    if (!new_places_.empty() || file_.wants_flush()) write_places();
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno == ECHILD)) break;
    sleep(watched_.empty() ? idle_milliseconds : watching_milliseconds);
  }
  release(DPROF_ENDING_EXIT, nullptr);
  if (debug_info_) write_places();
  ended_ns_ = monotonic_ns();
  last_stamp_ = read_clock(&cpu);
  return refusal_ && registers_.threads() == 0 ? -1 : status;
}

Json Taking::counts(int status) const {
  const dprof_histories_control &control = session_.control();
  Json types = Json::list();
  for (size_t i = 0; i < types_.size(); i++)
    types.append({{"allocations", control.allocations[i]},
                  {"busy", control.busy[i]},
                  {"notDrawn", control.not_drawn[i]},
                  {"tooSoon", control.too_soon[i]},
                  {"alone", control.alone[i]},
                  {"misplaced", control.misplaced[i]},
                  {"misaligned", types_[i].misaligned},
                  {"enough", types_[i].enough},
                  {"histories", types_[i].histories},
                  {"elements", types_[i].elements}});
  const Json::Member exit =
      WIFSIGNALED(status) ? Json::Member{"signal", WTERMSIG(status)} : Json::Member{"code", WEXITSTATUS(status)};
  return {{"exit", {exit}},
          {"types", types},
          {"endings", Json::list(endings_)},
          {"lost", registers_.lost()},
          {"stray", stray_},
          {"threads", threads_},
          {"unwatchedThreads", unwatched_threads_},
          {"lateThreads", late_threads_.size()},
          {"allocationCalls", control.allocation_calls},
          {"sites", control.sites.used},
          {"sitesRefused", control.sites.refused},
          {"forkedChildren", control.forked_children},
          {"mappings", control.mappings},
          {"mappedBytes", control.mapped_bytes},
          {"waitsNs", Json::list(control.waits_ns)},
          {"waits", Json::list(control.waits)},
          {"armingNs", armed_ns_},
          {"releasingNs", released_ns_},
          {"sitesNs", sites_ns_},
          {"clocks",
           {{"startNs", started_ns_},
            {"endNs", ended_ns_},
            {"startStamp", Json::hexadecimal(first_stamp_)},
            {"endStamp", Json::hexadecimal(last_stamp_)}}}};
}

} // namespace dprof
