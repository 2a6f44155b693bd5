// Stage: replay. The accesses of a loop's run: their addresses, times and outcomes.
#pragma once

#include "counting/count_stage.h"

namespace dprof {

/// Granules of a stream's accesses.
struct StreamPlace {
  StreamPlace(const ReferenceBatch &batch, const LoopStream &stream)
      : far(stream.far ? batch.pieces.data() + stream.granule : nullptr),
        page(stream.granule & ~static_cast<uint32_t>(Objects::GRANULES - 1)) {}
  uint32_t granule(uint32_t iteration, uint64_t address) const {
    return far ? far[iteration]
               : page | static_cast<uint32_t>((address & (PageMap::pageBytes - 1)) >> PageMap::granuleShift);
  }
  const uint32_t *far;
  uint32_t page;
};

inline uint64_t addressIn(const LoopStream &stream, uint32_t iteration) {
  return stream.address + static_cast<uint64_t>(stream.stride) * iteration;
}
/// Replay time, if the flow is wanted.
inline uint64_t timeIn(const LoopRun &run, const LoopStream &stream, uint32_t iteration) {
  return run.time + uint64_t{run.instructions} * iteration + stream.before;
}

/// Bytes from the lowest to the highest of the stream's accesses in iterations [from, to).
inline std::pair<uint64_t, uint64_t> boundsOf(const LoopStream &stream, uint32_t from, uint32_t to) {
  uint64_t first = addressIn(stream, from), last = addressIn(stream, to - 1);
  return {std::min(first, last), std::max(first, last) + stream.size - 1};
}

/// How many outcomes, from one on, are the second of an access over two lines.
inline uint64_t secondsOf(const std::vector<const LoopOutcome *> &outcomes, size_t from = 0) {
  uint64_t seconds = 0;
  for (size_t i = from + 1; i < outcomes.size(); i++) seconds += outcomes[i]->iteration == outcomes[i - 1]->iteration;
  return seconds;
}

/// An access over two lines counts its first outcome with the latency of the slower one.
inline uint32_t CountStage::firstBits(uint32_t bits, uint32_t second) const {
  uint32_t servers[2] = {outcome::server(bits), outcome::server(second)};
  uint32_t slowest = latencies_[servers[1]] > latencies_[servers[0]] ? servers[1] : servers[0];
  return outcome::withLatency(bits, slowest, servers[0] != SERVED_L1 || servers[1] != SERVED_L1);
}

/// An access over two lines has two outcomes, and costs as much as the slower one.
template <typename Count> void CountStage::eachOutcome(const LoopOutcomes &outcomes, Count count, size_t from) {
  for (size_t i = from; i < outcomes.size(); i++) {
    uint32_t bits = outcomes[i]->bits;
    if (i + 1 == outcomes.size() || outcomes[i + 1]->iteration != outcomes[i]->iteration) {
      count(outcomes[i]->iteration, bits, nullptr);
      continue;
    }
    uint32_t second = outcomes[++i]->bits;
    bits = firstBits(bits, second);
    second = outcome::withLatency(second, NO_SERVER, false);
    count(outcomes[i]->iteration, bits, &second);
  }
}

/// The same with how often each outcome follows upon itself, those of second lines among them.
template <typename Count> void CountStage::eachSame(const LoopOutcomes &outcomes, Count count, size_t from) {
  uint32_t last = 0;
  uint64_t same = 0;
  auto countSame = [&](uint32_t bits) {
    if (bits != last && same) {
      count(last, same);
      same = 0;
    }
    last = bits;
    same++;
  };
  eachOutcome(
      outcomes,
      [&](uint32_t, uint32_t bits, const uint32_t *second) {
        countSame(bits);
        if (second) countSame(*second);
      },
      from);
  if (same) count(last, same);
}

} // namespace dprof
