// Stage: replay. The flow of runs of loops. All accesses of a stream come from one place, so where each object is
// referenced from one place, or its path is cut, only the first of them can begin a step, and the rest are counted at
// once.
#include "counting/loop_streams.h"

namespace dprof {

void CountStage::passRun(const ReferenceBatch &batch, const LoopRun &run) {
  bool anyMixed = false;
  for (uint32_t k = 0; k < run.streams; k++) anyMixed |= !streams_[k].inOne;
  uint32_t from = 0;
  for (; from < run.iterations && (anyMixed || !staysInStep(batch, run)); from++)
    for (uint32_t k = 0; k < run.streams; k++) passAccess(batch, run, k, from);
  for (uint32_t k = 0; k < run.streams && from < run.iterations; k++)
    if (streams_[k].object) passStream(batch, run, k, from);
}

/// No two streams take an object from place to place.
bool CountStage::staysInStep(const ReferenceBatch &batch, const LoopRun &run) const {
  for (uint32_t k = 1; k < run.streams; k++) {
    const LiveObject *object = streams_[k].object;
    if (!object || flow->paths.isCut(flow->lifeOf(*object))) continue;
    uint32_t place = flow->placeOf(batch.streams[run.firstStream + k].slot);
    for (uint32_t other = 0; other < k; other++)
      if (streams_[other].object == object && flow->placeOf(batch.streams[run.firstStream + other].slot) != place)
        return false;
  }
  return true;
}

void CountStage::passAccess(const ReferenceBatch &batch, const LoopRun &run, uint32_t k, uint32_t iteration) {
  const LoopStream &stream = batch.streams[run.firstStream + k];
  StreamState &of = streams_[k];
  const StepKey key = rows_.states(0)[stream.slot].stepKey;
  const StreamPlace place(batch, stream);
  const uint64_t time = timeIn(run, stream, iteration), address = addressIn(stream, iteration),
                 toLine = lineMask_ + 1 - (address & lineMask_);
  auto pass = [&](uint64_t begin, uint64_t size, uint32_t bits) {
    uint32_t granule = place.granule(iteration, begin);
    LiveObject *object = of.inOne ? of.object : objects.lookUp(granule, begin);
    if (object) flow->met(*object, key, granule >> granulesShift_, begin, static_cast<uint32_t>(size), bits, time);
  };
  uint32_t bits = outcome::PLAIN, second = outcome::withLatency(bits, NO_SERVER, false);
  if (of.passed < of.outcomes.size() && of.outcomes[of.passed]->iteration == iteration) {
    LoopOutcomes own{of.outcomes[of.passed++]};
    if (of.passed < of.outcomes.size() && of.outcomes[of.passed]->iteration == iteration)
      own.push_back(of.outcomes[of.passed++]);
    eachOutcome(own, [&](uint32_t, uint32_t met, const uint32_t *further) {
      bits = met;
      if (further) second = *further;
    });
  } else {
    of.splits += stream.size > toLine;
  }
  pass(address, std::min<uint64_t>(stream.size, toLine), bits);
  if (stream.size > toLine) pass(address + toLine, stream.size - toLine, second);
}

/// All of a stream in one object from an iteration on.
void CountStage::passStream(const ReferenceBatch &batch, const LoopRun &run, uint32_t k, uint32_t from) {
  const LoopStream &stream = batch.streams[run.firstStream + k];
  const StreamState &of = streams_[k];
  const LiveObject &object = *of.object;
  auto [low, high] = boundsOf(stream, from, run.iterations);
  Life &life = flow->lifeOf(object);
  flow->widen(life, object, rows_.states(0)[stream.slot].stepKey, low, high + 1, timeIn(run, stream, from));
  const uint64_t seconds = secondsOf(of.outcomes, of.passed);
  of.sums.each([&](uint32_t bits, uint64_t times) { flow->paths.count(life, bits, times); });
  eachSame(of.outcomes, [&](uint32_t bits, uint64_t times) { flow->paths.count(life, bits, times); }, of.passed);
  life.hits += run.iterations - from - of.sums.total() - (of.outcomes.size() - of.passed - seconds);
  if (uint32_t splits = stream.splits - of.splits)
    flow->paths.count(life, outcome::withLatency(outcome::PLAIN, NO_SERVER, false), splits);
  const StreamPlace place(batch, stream);
  auto touch = [&](uint32_t granule, uint64_t address) {
    uint32_t line = granule >> granulesShift_;
    if (flow->lines.isNew(life, line)) flow->lines.add(life, object, line, address);
  };
  const uint64_t lineBytes = lineMask_ + 1,
                 distance = static_cast<uint64_t>(stream.stride < 0 ? -stream.stride : stream.stride);
  if (!stream.far && distance <= lineBytes) {
    for (uint64_t address = low; address <= high; address = (address & ~uint64_t{lineMask_}) + lineBytes)
      touch(place.granule(0, address), address);
    return;
  }
  if (stream.far) { // none is over two lines
    for (uint32_t i = from; i < run.iterations; i++)
      if (uint32_t line = place.far[i] >> granulesShift_; flow->lines.isNew(life, line))
        flow->lines.add(life, object, line, addressIn(stream, i));
    return;
  }
  for (uint32_t i = from; i < run.iterations; i++) {
    uint64_t address = addressIn(stream, i), last = address + stream.size - 1;
    touch(place.granule(i, address), address);
    if ((last ^ address) & ~uint64_t{lineMask_}) touch(place.granule(i, last), last & ~uint64_t{lineMask_});
  }
}

} // namespace dprof
