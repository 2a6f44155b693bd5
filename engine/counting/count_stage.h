// Stage: replay, the last of three. Outcomes of a batch's references, and the changes of objects between them -> rows,
// objects, totals. It knows objects; of a line it knows only which objects lie on it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "batch/access_latency.h"
#include "batch/reference_batch.h"
#include "counting/bringers.h"
#include "counting/core_hits.h"
#include "counting/hit_memos.h"
#include "counting/lock_accounts.h"
#include "counting/outcome_sums.h"
#include "counting/shared_addresses.h"
#include "counting/sharing_pairs.h"
#include "counting/takers.h"
#include "counting/unused_bytes.h"
#include "objects/labels.h"
#include "objects/memory_structs.h"
#include "objects/object_changes.h"
#include "trace/call_stack.h"

namespace dprof {

struct ReplayTotals {
  uint64_t continuations = 0, segments = 0, waited = 0, outsideLife = 0, unseenBytes = 0, lostPaths = 0;
  uint64_t slots = 0; // issued; for progress, about the references
  uint64_t time = 0;  // replay time, in instructions
  uint64_t windowsClosed = 0, windowsOpened = 0, droppedWords = 0, lastStamp = 0;
  uint64_t closedStamps = 0; // of openings minus those of closings, modulo 2^64
  /// Stamps in which no window of the recording was open, so far.
  uint64_t closed() const { return closedStamps + (windowsClosed > windowsOpened ? lastStamp : 0); }
};

struct Phase {
  std::string name;
  uint64_t time;
};

/// How often the program set a mark of that name.
struct Mark {
  std::string name;
  uint64_t times;
};

constexpr size_t FETCHED = 8;

class CountStage {
public:
  CountStage(const Input &input, const Plans &plans);
  void count(const ReferenceBatch &batch);
  /// Forgets the counts; keeps objects, votes, labels and the record of who brought which line.
  void beginWindow();
  /// `totals` since then.
  ReplayTotals inWindow() const;
  /// A line leaves an L1; a bit for each of its bytes that was touched.
  void leave(uint64_t address, const uint64_t *used) { leave(address, used, unusedBytes); }
  void leave(uint64_t address, const uint64_t *used, UnusedBytes &into);
  /// Adds the hits counted so far to their rows.
  void flush() {
    if (memos_) memos_->count();
    rows_.flush();
    tallies.flush();
    takers.finish(bringers_);
    unusedBytes.flush();
  }
  /// The end of the run, when all lines have left.
  void finish();

  Tallies tallies;
  Labels labels;
  ObjectCounters objectCounters;
  MemoryStructs memoryStructs;
  Takers takers;
  Objects objects;
  UnusedBytes unusedBytes;
  SharingPairs sharing;
  LockAccounts locks;
  std::unique_ptr<SharedAddresses> sharedAddresses; // if they are asked for
  ReplayTotals totals;
  std::vector<Phase> phases;
  std::vector<Mark> marks; // as they were first met; of those before the window none
  CallPaths callPaths;
  std::unique_ptr<Flow> flow; // null: nobody wants it

private:
  using Target = SlotRows::Target;
  template <bool WithFlow> void countOnOneCore(const ReferenceBatch &batch); // one_core.cpp
  template <bool WithFlow> void countHits(const ReferenceBatch &batch, uint32_t begin, uint32_t end);
  template <bool WithFlow>
  uint32_t countHit(SlotRows::State &state, uint32_t slot, uint32_t granule, uint64_t address, uint32_t size,
                    const uint64_t &time);
  template <bool WithFlow, typename SizeOf>
  void countOther(HitMemo &memo, uint32_t slot, uint32_t granule, uint64_t address, const uint64_t &time,
                  SizeOf sizeOf);
  template <bool WithFlow> void countSteady(uint32_t slot, uint64_t time);
  template <bool WithFlow> uint32_t countJoined(const JoinedRun &run, uint64_t lowest, uint32_t granule, uint64_t time);
  template <bool WithFlow>
  const Reference *countOtherHits(const ReferenceBatch &batch, const Reference *at, const Reference *last);
  /// The next entries of the batch to count for references that are no plain hits.
  struct Met {
    const Outcome *outcome;
    const LineMiss *miss;
    const LineMove *move;                                // of several cores, or a machine that is not plain
    const Outcome *fetchesFrom = outcome;                // what comes after this one is prefetched when it is counted
    uint32_t granules[FETCHED] = {}, live[FETCHED] = {}; // of the outcomes that are on their way; at first of none
  };
  // A simulated miss is also likely a miss of the host processor's own caches. So the data that outcomes and misses
  // some way ahead will need is prefetched meanwhile, for FETCHED of them at once.
  template <bool WithFlow> void fetchAhead(const ReferenceBatch &batch, Met &met, uint32_t llc) const;
  void fetchAhead(const Appended<LineMiss> &misses, const LineMiss *miss, uint32_t llc) const;
  /// The position of counting in a batch of one core.
  struct OnePlace : Met {
    uint32_t at;
    const OddAccess *odd, *oddEnd; // the next
    uint32_t oddAt() const { return odd < oddEnd ? odd->reference : NO_INDEX; }
  };
  template <bool WithFlow> void countTo(const ReferenceBatch &batch, OnePlace &place, uint32_t end);
  template <bool WithFlow>
  void countMet(const ReferenceBatch &batch, Met &met, const Reference &reference, uint32_t size, uint32_t bits);
  template <bool WithFlow> void countOdd(const ReferenceBatch &batch, const OddAccess &access, Met &met);
  /// Size of a reference, if the flow is wanted. Each reference is asked for once, in order.
  uint32_t sizeOf(const Reference &reference) {
    if (reference.size != SIZE_BY_SLOT) [[likely]]
      return 1u << reference.size;
    return plans_.hasBlockBytes(reference.slot) ? *blockBytes_++ : plans_.slots[reference.slot].size;
  }
  /// Notes the lines that came and went because of the next outcome's reference, for the object concerned. `counted`:
  /// the outcome, with the latency that is to be counted.
  template <bool WithFlow>
  void note(const ReferenceBatch &batch, Met &met, uint32_t core, const SlotRows::State &state, uint32_t slot,
            LiveObject *object, uint32_t counted) {
    uint32_t at = static_cast<uint32_t>(met.outcome - batch.outcomes.data()), bits = met.outcome->bits;
    if (met.outcome >= met.fetchesFrom) fetchAhead<WithFlow>(batch, met, core / coresPerLlc_);
    const uint64_t time = WithFlow ? batch.times[met.outcome->reference] : 0;
    if (plain_ && outcome::missClass(bits, 0) != HIT)
      follow<WithFlow>(*met.miss++, core, core / coresPerLlc_, bits, causeOf(slot, object, time));
    if (met.move && met.move->outcome == at) follow<WithFlow>(batch, met.move, causeOf(slot, object, time));
    if (object) {
      countMiss(*object, counted);
      object->flags |= state.loaded;
    }
    met.outcome++;
  }
  /// The reference that makes lines come and go.
  struct Cause {
    uint32_t label;
    LiveObject *object;
    uint64_t time; // if the flow is wanted
  };
  Cause causeOf(uint32_t slot, LiveObject *object, uint64_t time) {
    return {labels.ofReference(plans_.slots[slot], object), object, time};
  }
  /// Lines that came in because of a reference with these bits, and those that had to leave.
  template <bool WithFlow>
  void follow(const LineMiss &miss, uint32_t core, uint32_t llc, uint32_t bits, const Cause &cause) {
    uint32_t owner = 0;
    if constexpr (WithFlow) owner = flow->ownerOf(cause.object);
    followFor<WithFlow>(miss, core, llc, bits, cause.label, owner, cause.time);
  }
  /// The same; whoever caused it is known by its label and as an owner, and `time` if the flow is wanted.
  template <bool WithFlow>
  [[gnu::always_inline]] void followFor(const LineMiss &miss, uint32_t core, uint32_t llc, uint32_t bits,
                                        uint32_t label, uint32_t owner, uint64_t time) {
    fill<WithFlow>(miss, 0, core, label, owner, time);
    if (outcome::missClass(bits, 1) != HIT) fillOuter<WithFlow>(miss, core, llc, bits, label, owner, time);
    if (miss.victim[0]) [[likely]]
      leave(miss);
  }
  /// The line came to its place in a level.
  template <bool WithFlow>
  [[gnu::always_inline]] void fill(const LineMiss &miss, unsigned level, uint32_t unit, uint32_t label, uint32_t owner,
                                   uint64_t time) {
    const uint32_t place = miss.place[level];
    Bringer &bringer = bringers_.at(level, unit, place);
    const uint32_t before = bringer.owner();
    takers.fill(level, place, bringer, miss.victim[level], label);
    if (!WithFlow || before == owner) return;
    flow->residency.fill(before, level, owner, time);
    bringer.own(owner);
  }
  template <bool WithFlow>
  [[gnu::noinline]] void fillOther(const LineMiss &miss, uint32_t label, uint32_t owner, uint64_t time) {
    fill<WithFlow>(miss, 0, 0, label, owner, time);
  }
  template <bool WithFlow>
  [[gnu::noinline]] void fillOuter(const LineMiss &miss, uint32_t core, uint32_t llc, uint32_t bits, uint32_t label,
                                   uint32_t owner, uint64_t time) {
    fill<WithFlow>(miss, 1, core, label, owner, time);
    if (outcome::missClass(bits, 2) != HIT) fill<WithFlow>(miss, 2, llc, label, owner, time);
  }
  /// A line had to leave the L1.
  [[gnu::always_inline]] void leave(const LineMiss &miss) {
    if (lineMask_ < 64) [[likely]]
      unusedBytes.leftShort(miss.victim[0], miss.left);
    else
      unusedBytes.left(miss.victim[0] << granulesShift_, leftLines_ + miss.left + 1);
  }
  template <bool WithFlow> void follow(const ReferenceBatch &batch, const LineMove *&move, const Cause &cause);
  [[gnu::always_inline]] void countMiss(LiveObject &object, uint32_t bits) {
    if (outcome::missClass(bits, 0) == HIT) return objectCounters.hit(object.counts, bits);
    objectCounters.miss(object.counts, bits);
    if (bits & outcome::STORE) countStoreMiss(object);
  }
  void countStoreMiss(LiveObject &object) {
    const bool loaded = object.flags & OBJECT_LOADED;
    objectCounters.storeMissed(object.counts, loaded);
    if (!loaded) return;
    object.flags &= static_cast<uint8_t>(~OBJECT_LOADED);
    if (object.keepsHits) memos_->releaseLoads(objects.numberOf(object));
  }
  [[gnu::always_inline]] Target typeOf(SlotRows::State &state, uint32_t slot, uint32_t granule, uint64_t address) {
    return typeIn(objects.lookUp(granule, address), state, slot, granule, address);
  }
  /// The same; `object` is the one that was found there, or null.
  [[gnu::always_inline]] Target typeIn(LiveObject *object, SlotRows::State &state, uint32_t slot, uint32_t granule,
                                       uint64_t address) {
    uint32_t leaf = NO_INDEX;
    if (object) [[likely]]
      return rows_.rowIn(*object, state, 0, slot, address, leaf);
    totals.outsideLife += objects.wasFreed(granule, address);
    return {};
  }
  AccessLatency latencyOf(const Outcome *outcomes, uint32_t pieces) const;

  // Runs of loops: loop_run.cpp.
  using LoopOutcomes = std::vector<const LoopOutcome *>;
  struct StreamState {
    LoopOutcomes outcomes; // or, if the run needs no list of them:
    OutcomeSums sums;
    bool inOne; // all of it lies in `object`, or in none
    LiveObject *object;
    uint32_t loaded; // up to this iteration its loads have been told to their objects
    uint32_t passed,
        splits; // so many of its outcomes, and of its accesses over two lines that hit both, the flow knows
  };
  void countRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome, const LineMiss *&misses);
  template <bool WithFlow>
  void followRun(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome, const LineMiss *&misses);
  struct Summed; // loop_sums.cpp
  bool isSum(const LoopRun &run, const LoopStream &stream, const StreamState &of);
  template <bool WithFlow>
  bool followSums(const ReferenceBatch &batch, const LoopRun &run, uint32_t firstOutcome, const LineMiss *&misses);
  void passLoads(const ReferenceBatch &batch, const LoopRun &run, uint32_t iteration, uint32_t stream);
  bool isInOne(const ReferenceBatch &batch, const LoopRun &run, const LoopStream &stream, LiveObject *&object);
  bool countStream(const LoopRun &run, const LoopStream &stream, const StreamState &of);
  void countEach(const ReferenceBatch &batch, const LoopRun &run, const LoopStream &stream, const StreamState &of);
  bool isOneRow(const LoopRun &run, const LoopStream &stream, const LiveObject &object, uint64_t seconds);
  bool isOneLeaf(const LiveObject &object, const LoopStream &stream, uint64_t low, uint64_t high,
                 uint64_t seconds) const;
  uint32_t firstBits(uint32_t bits, uint32_t second) const;
  template <typename Count> void eachOutcome(const LoopOutcomes &outcomes, Count count, size_t from = 0);
  template <typename Count> void eachSame(const LoopOutcomes &outcomes, Count count, size_t from = 0);
  // Their flow: flow_run.cpp.
  void passRun(const ReferenceBatch &batch, const LoopRun &run);
  bool staysInStep(const ReferenceBatch &batch, const LoopRun &run) const;
  void passAccess(const ReferenceBatch &batch, const LoopRun &run, uint32_t stream, uint32_t iteration);
  void passStream(const ReferenceBatch &batch, const LoopRun &run, uint32_t stream, uint32_t from);

  /// The position of counting in a batch of several cores.
  struct Place : Met {
    const Outcome *firstOutcome;
    uint32_t core;
    const TurnStart *turn, *turnsEnd; // the next
    const Aside *aside;
    /// The core becomes that of the reference.
    void turnTo(uint32_t reference) {
      for (; turn < turnsEnd && turn->reference <= reference; turn++) core = turn->core;
    }
  };
  template <bool WithFlow> void countOnManyCores(const ReferenceBatch &batch); // many_cores.cpp
  template <bool WithFlow> void countHitsOf(const ReferenceBatch &batch, Place &place, uint32_t begin, uint32_t end);
  template <bool WithFlow> void countOtherHit(const ReferenceBatch &batch, uint32_t core, uint32_t at, CoreHit &memo);
  template <bool WithFlow> void countOddOf(const ReferenceBatch &batch, Place &place, const OddAccess &access);
  bool isPlainStore(const Place &place) const;
  template <bool WithFlow> bool countStoreOf(Place &place, const Reference &reference);
  template <bool WithFlow, bool Remembers = false>
  void countMetOf(const ReferenceBatch &batch, Place &place, const Reference &reference, uint32_t size, uint32_t bits);
  LiveObject *pass(uint32_t core, const Reference &reference);

  /// Passes references up to `end` to those who look at them by thread. Among these references nothing changes.
  void lookTo(const ReferenceBatch &batch, uint32_t end) {
    locks.passTo(batch, end);
    if (sharedAddresses) [[unlikely]]
      sharedAddresses->passTo(batch, end);
  }
  void change(const ReferenceBatch &batch, const Change &change);
  void event(const Event &event);
  void mark(const Event &event);
  void setMark(const std::string &name);

  ReplayTotals before_; // the window
  Bringers bringers_;
  const Input &input_;
  const Plans &plans_;
  const bool oneCore_, plain_; // plain: the caches' lines are numbered like granules
  const uint32_t coresPerLlc_;
  const unsigned granulesShift_; // of a line
  const uint32_t lineMask_;
  const Latencies latencies_;
  PageMap pages_; // numbered as the caches number them, from the same list
  WriteShared writeShared_;
  Settler settler_;
  SlotRows rows_;
  std::unique_ptr<HitMemos> memos_;    // of one plain core
  std::unique_ptr<CoreHits> coreHits_; // of any other machine
  ObjectChanges changes_;
  std::unordered_map<const std::string *, size_t> markOf_; // by the text, of which there is one
  std::vector<StreamState> streams_;                       // of the run at hand
  // Of the batch at hand:
  const uint16_t *blockBytes_ = nullptr; // of the next block's piece
  const uint64_t *leftLines_ = nullptr;
};

} // namespace dprof
