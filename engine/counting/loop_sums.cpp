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

/// What a stream's misses have in common, and its last outcomes.
struct CountStage::Summed {
  uint64_t word = 0; // of Bringer
  uint64_t times = 0;
  uint32_t bits = NONE; // so many outcomes in a row were the same
  bool asksForStores = false, isCauseKnown = false;
  static constexpr uint32_t NONE = NO_INDEX; // is no outcome
};

/// Whether the run was counted. It was if the path of each object stays in its step, or begins one at once.
template <bool WithFlow>
bool CountStage::followSums(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome,
                            const LineMiss *&misses) {
  const LoopStream *const streams = &batch.streams[run.firstStream];
  for (uint32_t k = 0; k < run.streams; k++)
    if (!isSum(run, streams[k], streams_[k])) return false;
  if (WithFlow && !staysInStep(batch, run)) return false;
  Summed summed[LoopRun::MOST_STREAMS];
  // The stream's outcomes become others.
  auto change = [&](const LoopOutcome &outcome) __attribute__((noinline)) {
    Summed &of = summed[outcome.stream];
    StreamState &state = streams_[outcome.stream];
    const LoopStream &stream = streams[outcome.stream];
    state.sums.add(of.bits, of.times);
    of.bits = outcome.bits;
    of.times = 0;
    if (of.isCauseKnown || outcome::missClass(of.bits, 0) == HIT) return;
    const Cause cause = causeOf(stream.slot, state.object, 0);
    of.word = Bringer::wordOf(cause.label, WithFlow ? flow->ownerOf(state.object) : 0);
    of.asksForStores = stream.store && state.object;
    of.isCauseKnown = true;
  };
  Bringer *const bringers = bringers_.data(0);
  const LineMiss *miss = misses, *fetchesFrom = misses;
  const LoopOutcome *const outcomes = batch.loopOutcomes.data();
  for (const LoopOutcome *at = outcomes + firstOutcome, *behind = outcomes + run.outcomesEnd; at < behind; at++) {
    Summed &of = summed[at->stream];
    const uint32_t bits = at->bits;
    if (of.bits != bits) [[unlikely]]
      change(*at);
    of.times++;
    if (outcome::missClass(bits, 0) == HIT) continue;
    if (miss >= fetchesFrom) {
      fetchAhead(batch.loopMisses, miss, 0);
      fetchesFrom = miss + FETCHED;
    }
    auto timeOf = [&] { return timeIn(run, streams[at->stream], at->iteration); };
    const uint32_t label = Bringer::labelIn(of.word), owner = Bringer::ownerIn(of.word);
    Bringer &bringer = bringers[miss->place[0]];
    if (!bringer.isOf(of.word) || !miss->victim[0] || !bringer.hasRoom()) [[unlikely]]
      fillOther<WithFlow>(*miss, label, owner, timeOf());
    else
      bringer.countSame();
    if (outcome::missClass(bits, 1) != HIT) [[unlikely]]
      fillOuter<WithFlow>(*miss, 0, 0, bits, label, owner, timeOf());
    if (miss->victim[0]) [[likely]]
      leave(*miss);
    miss++;
    if (!of.asksForStores) continue;
    passLoads(batch, run, at->iteration, at->stream);
    countStoreMiss(*streams_[at->stream].object);
  }
  misses = miss;
  for (uint32_t k = 0; k < run.streams; k++) streams_[k].sums.add(summed[k].bits, summed[k].times);
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
