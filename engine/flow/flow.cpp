// Stage: replay. Lives begin and end; handles references that differ from the one before.
#include "flow/flow.h"

namespace dprof {

Flow::Flow(const Input &input, const Objects &objects, PageMap &pages)
    : readings(input), paths(input.flow, latenciesOf(input.machine)), residency(input.machine),
      lines(input.machine, pages), placeOf_(input.flow.placeOf), objects_(objects) {}

void Flow::widen(Life &life, const LiveObject &object, StepKey key, uint64_t begin, uint64_t end, uint64_t now) {
  if (life.isNext(key)) {
    objects_.releaseHits(object);
    paths.step(life, key, begin, end, now, object.bornAt);
  } else {
    life.begin = std::min(life.begin, begin);
    life.end = std::max(life.end, end);
  }
}

[[gnu::noinline]] void Flow::meet(Life &life, const LiveObject &object, StepKey key, uint32_t line, uint64_t address,
                                  uint32_t size, uint64_t now) {
  widen(life, object, key, address, address + size, now);
  if (lines.isNew(life, line)) lines.add(life, object, line, address);
}

void Flow::begun(uint32_t live, const LiveObject &object, uint32_t core) {
  if (live >= lives_.size()) lives_.resize(std::max<size_t>(live + 1, lives_.size() * 2));
  Life &life = lives_[live];
  const uint64_t ofLines = life.object == object.id + 1 ? life.lines : 0; // of its earlier lives
  life = {};
  life.key = stepKey(core, NO_PLACE);
  life.object = object.id + 1;
  life.lines = ofLines;
}

void Flow::ended(uint32_t live, const LiveObject &object, bool isLast, uint32_t freeSlot, uint32_t core, uint64_t now) {
  Life &life = lives_[live];
  uint32_t reading = readingOf(live, object);
  paths.end(life, object, reading, object.flags & OBJECT_FREED ? PATH_FREED : PATH_ENDED, freeSlot, core, now);
  residency.endLife(life, reading, now);
  if (isLast && life.lines) lines.settle(life, object, readings.asRow(reading));
}

void Flow::beginWindow(uint64_t now) {
  paths.restart();
  residency.restart(now);
  lines.restart();
  for (uint32_t live : objects_.unsettled()) {
    Life &life = lives_[live];
    const LiveObject &object = objects_.at(live);
    lines.forget(life);
    if (object.lifeSequence)
      paths.forget(life, paths.isCut(life) && object.lastCore ? object.lastCore - 1u : life.core());
  }
}

void Flow::finish(uint64_t now) {
  for (uint32_t live : objects_.unsettled()) {
    Life &life = lives_[live];
    const LiveObject &object = objects_.at(live);
    uint32_t reading = readings.of(object);
    if (object.lifeSequence) {
      paths.end(life, object, reading, PATH_ALIVE, NO_INDEX, 0, now);
      residency.endLife(life, reading, now);
    }
    if (life.lines) lines.settle(life, object, readings.asRow(reading));
  }
  paths.endStep();
  residency.finish(readings.none(), now);
}

} // namespace dprof
