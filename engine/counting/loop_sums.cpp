// Stage: replay, the last of three. Runs of loops that need no list of their outcomes: each stream lies in one object
// or in none, counts in one row, and crosses no line. Of such a stream sums are enough, for its row, its object and
// its path; only lines that come and go, and an object's stores, are followed one by one.
#include <bit>

#include "counting/loop_streams.h"

namespace dprof {

bool CountStage::isSum(const LoopRun &run, const LoopStream &stream, const StreamState &of) {
  if (!of.inOne || !std::has_single_bit(stream.size) || stream.size > lineMask_ + 1 ||
      (stream.address | static_cast<uint64_t>(stream.stride)) & (stream.size - 1))
    return false;
  return !of.object || isOneRow(run, stream, *of.object, 0);
}

/// Whether the run was counted. It was if the path of each object stays in its step, or begins one at once.
template <bool WithFlow>
bool CountStage::followSums(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome,
                            const LineMiss *&misses) {
  const LoopStream *const streams = &batch.streams[run.firstStream];
  for (uint32_t k = 0; k < run.streams; k++)
    if (!isSum(run, streams[k], streams_[k])) return false;
  if (WithFlow && !staysInStep(batch, run)) return false;
  const LineMiss *fetchesFrom = misses;
  const LoopOutcome *const outcomes = batch.loopOutcomes.data();
  for (const LoopOutcome *at = outcomes + firstOutcome, *behind = outcomes + run.outcomesEnd; at < behind; at++) {
    const LoopStream &stream = streams[at->stream];
    StreamState &of = streams_[at->stream];
    of.sums.add(at->bits);
    if (outcome::missClass(at->bits, 0) == HIT) continue;
    const uint64_t time = WithFlow ? timeIn(run, stream, at->iteration) : 0;
    if (!of.isCauseKnown) {
      of.cause = causeOf(stream.slot, of.object, time);
      if constexpr (WithFlow) of.owner = flow->ownerOf(of.object);
      of.isCauseKnown = true;
    }
    if (misses >= fetchesFrom) {
      fetchAhead(batch.loopMisses, misses, 0);
      fetchesFrom = misses + FETCHED;
    }
    followFor<WithFlow>(batch, *misses++, 0, 0, at->bits, of.cause.label, of.owner, time);
    if (!stream.store || !of.object) continue;
    passLoads(batch, run, at->iteration, at->stream);
    countStoreMiss(*of.object);
  }
  for (uint32_t k = 0; k < run.streams; k++)
    if (LiveObject *object = streams_[k].object)
      streams_[k].sums.each([&](uint32_t bits, uint64_t times) {
        if (outcome::missClass(bits, 0) == HIT)
          objectCounters.hit(object->counts, bits, times);
        else
          objectCounters.miss(object->counts, bits, times);
      });
  return true;
}

template bool CountStage::followSums<false>(const ReferenceBatch &, const LoopRun &, uint32_t, const LineMiss *&);
template bool CountStage::followSums<true>(const ReferenceBatch &, const LoopRun &, uint32_t, const LineMiss *&);

} // namespace dprof
