// Stage: replay. Owners of lines: lives that go on, and lives that have ended but whose last line has not left yet.
#include "flow/residency.h"

namespace dprof {

uint32_t Residency::count(const LineEvent &event, uint32_t before, Life *life, uint64_t now) {
  uint32_t owner = EMPTY;
  if (event.kind == LineEvent::FILLED) {
    auto last = std::find_if(left_.rbegin(), left_.rend(), [&](const Left &of) { return of.line == event.filled; });
    owner = last != left_.rend() ? last->owner : ownerOf(life);
  }
  const bool comesElsewhere = event.kind == LineEvent::FILLED
                                  ? event.line != 0
                                  : event.kind == LineEvent::MOVED || event.kind == LineEvent::EVICTED;
  if (comesElsewhere) left_.push_back({event.line, before});
  return own(before, event.level, owner, now);
}

uint32_t Residency::create() {
  uint32_t at = free_;
  if (!at) {
    owners_.emplace_back();
    return static_cast<uint32_t>(owners_.size() - 1);
  }
  free_ = owners_[at].reading;
  owners_[at] = {};
  return at;
}

void Residency::leaveFreed(uint32_t number, unsigned level, uint64_t now) {
  Owner &owner = owners_[number];
  Row &of = rows[owner.reading];
  of.freed[level] += now;
  of.freedFrames[level]--;
  if (!owner.isIdle()) return;
  if (plain_)
    release(number);
  else
    idle_.push_back(number);
}

void Residency::release(uint32_t number) {
  owners_[number].reading = free_;
  free_ = number;
}

void Residency::releaseIdle() {
  std::sort(idle_.begin(), idle_.end());
  idle_.erase(std::unique(idle_.begin(), idle_.end()), idle_.end());
  for (uint32_t number : idle_)
    if (owners_[number].isIdle()) release(number);
  idle_.clear();
}

void Residency::enterFreed(Owner &owner, unsigned level, uint64_t now) {
  Row &of = rows[owner.reading];
  of.freed[level] -= now;
  of.freedFrames[level]++;
}

void Residency::settle(Owner &owner, uint32_t reading, uint64_t now) {
  Row &of = row(reading);
  for (unsigned level = 0; level < 3; level++) {
    of.lines[level] += owner.time[level] + Sum{now} * owner.frames[level];
    of.freed[level] -= Sum{now} * owner.frames[level];
    of.freedFrames[level] += owner.frames[level];
  }
}

void Residency::endLife(Life &life, uint32_t reading, uint64_t now) {
  uint32_t number = life.owner;
  if (!number) return;
  life.owner = 0;
  Owner &owner = owners_[number];
  settle(owner, reading, now);
  if (owner.isIdle())
    release(number);
  else
    owner.reading = reading;
}

void Residency::restart(uint64_t now) {
  for (Row &of : rows)
    for (unsigned level = 0; level < 3; level++) {
      of.lines[level] = 0;
      of.freed[level] = -(Sum{now} * of.freedFrames[level]);
    }
  for (Owner &owner : owners_) // of lives that have ended nothing is read any more
    for (unsigned level = 0; level < 3; level++) owner.time[level] = -(Sum{now} * owner.frames[level]);
}

void Residency::finish(uint32_t none, uint64_t now) {
  settle(owners_[NOBODY], none, now);
  for (Row &of : rows)
    for (unsigned level = 0; level < 3; level++) of.freed[level] += Sum{now} * of.freedFrames[level];
}

} // namespace dprof
