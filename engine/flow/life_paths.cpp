// Stage: replay. Steps begin and end; a life that has ended is looked up by all that makes its path.
#include "flow/life_paths.h"

#include <algorithm>

namespace dprof {

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

LifePaths::LifePaths(const FlowRequest &request, const Latencies &latencies)
    : mostPaths_(request.mostPaths), mostSteps_(request.mostSteps), mostOpen_(request.mostOpenSteps),
      latencies_(latencies) {
  for (uint32_t at = 0; at < latencyOf_.size(); at++) {
    const uint32_t bits = at << outcome::LATENCY, server = outcome::latencyServer(bits);
    const size_t ofTlb = SERVERS + outcome::latencyTlb(bits);
    const bool isNone = server == NO_SERVER || ofTlb >= latencies.size(); // the latter are the bits of no outcome
    latencyOf_[at] = isNone ? 0 : uint64_t{latencies[server]} + latencies[ofTlb];
  }
  open_.reserve(size_t{mostOpen_} +
                (mostOpen_ >> 3)); // addresses only: it never has to be copied, but where very many lives are cut
}

// -- steps of lives that go on

void LifePaths::step(Life &life, StepKey key, uint64_t address, uint64_t end, uint64_t now, uint64_t bornAt) {
  close(life);
  uint32_t steps = life.last ? open_[life.last].number : 0, at = free_;
  if (at)
    free_ = open_[at].next;
  else {
    at = static_cast<uint32_t>(open_.size());
    open_.emplace_back();
  }
  const bool isCut = steps >= mostSteps_ || kept_ >= mostOpen_;
  LifeStep &step = open_[at] = {};
  step.time = now - bornAt;
  step.place = isCut ? NO_INDEX : key & NO_PLACE;
  step.number = static_cast<uint8_t>(steps + 1);
  step.changesCore = !isCut && key >> PLACE_BITS != life.core();
  if (life.last)
    open_[life.last].next = at;
  else
    life.first = at;
  life.last = at;
  life.key = key;
  life.mask = isCut ? 0 : ~0u;
  life.begin = address;
  life.end = end;
  life.hash = mixed(life.hash, uint64_t{step.place} << 1 | step.changesCore);
  kept_ += !isCut;
}

/// What the life alone knew of its last step.
void LifePaths::close(Life &life) {
  if (!life.last) return;
  LifeStep &step = open_[life.last];
  step.served[SERVED_L1] += life.hits;
  step.latencyCycles += life.hits * latencies_[SERVED_L1];
  step.begin = life.begin;
  step.end = life.end;
  life.hits = 0;
}

void LifePaths::release(uint32_t first, uint32_t last) {
  if (!first) return;
  open_[last].next = free_;
  free_ = first;
}

void LifePaths::forget(Life &life, uint32_t lastCore) {
  release(life.first, life.last);
  life.key = stepKey(lastCore, NO_PLACE);
  life.mask = ~0u;
  life.hash = life.hits = 0;
  life.first = life.last = 0;
}

void LifePaths::restart() {
  kept_ = 0;
  paths.clear();
  steps.clear();
  others.clear();
  std::fill(table_.begin(), table_.end(), 0);
}

// -- lives that have ended

void LifePaths::end(Life &life, const LiveObject &object, uint32_t reading, PathEnd end, uint32_t freeSlot,
                    uint32_t core, uint64_t now) {
  close(life);
  // The key of a cut path knows no core. With several cores the object knows the core that referenced it last.
  uint32_t lastCore = isCut(life) && object.lastCore ? object.lastCore - 1u : life.core();
  uint8_t flags = (end == PATH_FREED && core != lastCore ? PATH_FREED_ELSEWHERE : 0) | (isCut(life) ? PATH_CUT : 0);
  ended_.push_back({life.hash, object.start, now - object.bornAt, life.object, reading,
                    object.kind == HEAP ? object.slot : NO_INDEX, object.kind == HEAP ? object.callPath : 0,
                    end == PATH_FREED ? freeSlot : NO_INDEX, life.first, life.last,
                    static_cast<uint32_t>(ended_.size()), end, flags});
  if (life.last) kept_ -= open_[life.last].number - isCut(life);
}

void LifePaths::countEnded() {
  auto isBefore = [](const EndedLife &a, const EndedLife &b) {
    return a.object != b.object ? a.object < b.object : a.place < b.place;
  };
  if (ended_.size() > 1 && !std::is_sorted(ended_.begin(), ended_.end(), isBefore))
    std::sort(ended_.begin(), ended_.end(), isBefore);
  for (const EndedLife &ended : ended_) {
    count(ended);
    release(ended.first, ended.last);
  }
  ended_.clear();
}

void LifePaths::count(const EndedLife &ended) {
  uint64_t hash = mixed(mixed(ended.hash, uint64_t{ended.reading} << 32 | ended.allocationSlot),
                        uint64_t{ended.freeSlot} << 8 | ended.end << 4 | ended.flags);
  hash = mixed(hash, ended.callPath);
  size_t mask = table_.size() - 1, i = hash >> 16 & mask;
  for (; table_[i]; i = (i + 1) & mask) {
    Path &path = paths[table_[i] - 1];
    if (path.hash == hash && isPath(ended, path)) return addSteps(ended, path);
  }
  if (paths.size() >= mostPaths_) {
    Other &other = others[ended.reading];
    other.lives++;
    for (uint32_t at = ended.first; at; at = at == ended.last ? 0 : open_[at].next)
      for (uint64_t count : open_[at].served) other.references += count;
    return;
  }
  table_[i] = make(ended, hash) + 1;
  addSteps(ended, paths.back());
  if (paths.size() * 2 > table_.size()) widen();
}

bool LifePaths::isPath(const EndedLife &ended, const Path &path) const {
  if (path.reading != ended.reading || path.allocationSlot != ended.allocationSlot || path.callPath != ended.callPath ||
      path.freeSlot != ended.freeSlot || path.end != ended.end || path.flags != ended.flags ||
      path.steps != (ended.last ? open_[ended.last].number : 0u))
    return false;
  const Step *step = steps.data() + path.firstStep;
  for (uint32_t at = ended.first, left = path.steps; left; left--, step++, at = open_[at].next)
    if (open_[at].place != step->place || open_[at].changesCore != step->changesCore) return false;
  return true;
}

uint32_t LifePaths::make(const EndedLife &ended, uint64_t hash) {
  if (steps.size() > NO_INDEX - 256u)
    throw InputError("the program's objects took more steps than the native engine numbers");
  uint32_t count = ended.last ? open_[ended.last].number : 0;
  paths.push_back({hash, 0, 0, ended.reading, ended.allocationSlot, ended.callPath, ended.freeSlot,
                   static_cast<uint32_t>(steps.size()), count, ended.end, ended.flags});
  for (uint32_t at = ended.first, left = count; left; left--, at = open_[at].next)
    steps.push_back({{}, 0, 0, ~uint64_t{0}, 0, open_[at].place, open_[at].changesCore});
  return static_cast<uint32_t>(paths.size() - 1);
}

void LifePaths::addSteps(const EndedLife &ended, Path &path) {
  path.lives++;
  path.lifetime += ended.lifetime;
  Step *to = steps.data() + path.firstStep;
  for (uint32_t at = ended.first, left = path.steps; left; left--, to++) {
    const LifeStep &step = open_[at];
    for (unsigned server = 0; server < SERVERS; server++) to->served[server] += step.served[server];
    to->latencyCycles += step.latencyCycles;
    to->time += step.time;
    to->beginOffset = std::min(to->beginOffset, step.begin - ended.start);
    to->endOffset = std::max(to->endOffset, step.end - ended.start);
    at = step.next;
  }
}

void LifePaths::widen() {
  table_.assign(table_.size() * 2, 0);
  size_t mask = table_.size() - 1;
  for (uint32_t row = 0; row < paths.size(); row++) {
    size_t i = paths[row].hash >> 16 & mask;
    while (table_[i]) i = (i + 1) & mask;
    table_[i] = row + 1;
  }
}

} // namespace dprof
