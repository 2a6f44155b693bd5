// Stage: replay. Batches, changes and totals; how references are counted is in one_core and many_cores.
#include "counting/count_stage.h"

namespace dprof {

CountStage::CountStage(const Input &input, const Plans &plans)
    : tallies(latenciesOf(input.machine)), labels(input), objectCounters(latenciesOf(input.machine)),
      takers(input.machine), objects(input, pages_, input.machine.onePlainCore() ? nullptr : &writeShared_, settler_),
      unusedBytes(input, objects, labels), sharing(objects, pages_), locks(input, plans, objects, labels, pages_),
      bringers_(input.machine), input_(input), plans_(plans), oneCore_(input.machine.onePlainCore()),
      plain_(input.machine.whole.plain), coresPerLlc_(input.machine.coresPerLlc),
      granulesShift_(input.machine.lineShift - PageMap::granuleShift), lineMask_((1u << input.machine.lineShift) - 1),
      latencies_(latenciesOf(input.machine)), pages_(input.machine.lineShift),
      settler_{tallies, plans.slots, input, labels, objectCounters, memoryStructs}, rows_(input, plans, tallies),
      changes_(plans, objects) {
  if (input.flow.asked) {
    flow = std::make_unique<Flow>(input, objects, pages_);
    objects.watcher = flow.get();
  }
  if (oneCore_) {
    memos_ = std::make_unique<HitMemos>(input, plans, rows_, objects, flow.get());
    rows_.memos = memos_.get();
    objects.hitKeeper = memos_.get();
  } else {
    coreHits_ = std::make_unique<CoreHits>(input, plans);
  }
  objects.onCore(input.cpus.begin(0, input.machine.cores));
  objects.createGlobals();
  objects.lifeEnds.push_back(&locks);
  if (input.mostSharedCounts == 0) return;
  sharedAddresses = std::make_unique<SharedAddresses>(input, plans, objects, labels);
  objects.lifeEnds.push_back(sharedAddresses.get());
}

void CountStage::count(const ReferenceBatch &batch) {
  if (batch.begins) beginWindow();
  for (uint64_t page : batch.newPages) {
    const uint32_t frame = pages_.add(page);
    objects.addFrame(frame);
    if (!oneCore_) sharing.grow(objects.lineCapacity());
    if (flow) flow->addPage(frame, page);
  }
  for (const JoinedRun *run : batch.joined) memos_->add(*run);
  for (const SteadySlot &steady : batch.steady) memos_->steady.set(steady);
  blockBytes_ = batch.blockBytes.data();
  leftLines_ = batch.leftLines.data();
  locks.begin(batch);
  if (sharedAddresses) sharedAddresses->begin(batch);
  if (oneCore_)
    flow ? countOnOneCore<true>(batch) : countOnOneCore<false>(batch);
  else
    flow ? countOnManyCores<true>(batch) : countOnManyCores<false>(batch);
  totals.segments = batch.segments;
  totals.waited = batch.waited;
  totals.slots = batch.slots;
  totals.time = batch.time;
}

void CountStage::beginWindow() {
  before_ = totals;
  if (memos_) memos_->forgetAll();
  if (coreHits_) coreHits_->forgetAll();
  rows_.flush();
  tallies.restart();
  sharing.misses.clear();
  takers.restart(bringers_);
  unusedBytes.restart();
  memoryStructs.objects.clear();
  if (flow) flow->beginWindow(totals.time);
  locks.restart();
  if (sharedAddresses) sharedAddresses->restart();
  objects.restart(totals.time);
  for (Mark &mark : marks) mark.times = 0;
}

ReplayTotals CountStage::inWindow() const {
  ReplayTotals of = totals;
  of.continuations -= before_.continuations;
  of.segments -= before_.segments;
  of.waited -= before_.waited;
  of.outsideLife -= before_.outsideLife;
  of.unseenBytes -= before_.unseenBytes;
  of.lostPaths -= before_.lostPaths;
  of.time -= before_.time;
  of.windowsClosed -= before_.windowsClosed;
  of.droppedWords -= before_.droppedWords;
  of.closedStamps = totals.closed() - before_.closed();
  return of;
}

/// Lines that went otherwise.
template <bool WithFlow>
void CountStage::follow(const ReferenceBatch &batch, const LineMove *&move, const Cause &cause) {
  for (uint32_t outcome = move->outcome; move->outcome == outcome; move++) {
    Bringer &bringer = bringers_.at(move->event.level, move->event.unit, move->event.place);
    takers.count(move->event, bringer, cause.label);
    if constexpr (WithFlow) bringer.own(flow->count(move->event, bringer.owner(), cause.object, cause.time));
    if (move->left == NO_INDEX) continue;
    const uint64_t *left = &batch.leftLines[move->left];
    if (plain_)
      unusedBytes.left(*left, move->event.line << granulesShift_, left + 1);
    else
      leave(*left, left + 1);
  }
  takers.end();
  if constexpr (WithFlow) flow->residency.end();
}

void CountStage::leave(uint64_t address, const uint64_t *used, UnusedBytes &into) {
  uint32_t frame =
      pages_.find(PageMap::pageOf(address)); // none: a prefetched line may lie on a page that nobody touched
  into.left(address, frame ? PageMap::granule(frame, address) : 0, used);
}

// Outcomes or misses ahead. Each step of the way takes FETCHED of them further: what is fetched last says what it needs
// by what was fetched before.
constexpr size_t LAST_FETCH = 4, FIRST_FETCH = LAST_FETCH + 2 * FETCHED, MISS_FETCH = LAST_FETCH + FETCHED;

/// The next FETCHED of a list, some way ahead; null if its end is near.
template <typename List, typename Entry>
static const Entry *ahead(const List &list, const Entry *from, size_t distance) {
  const size_t begin = static_cast<size_t>(from - list.data()) + distance;
  return begin + FETCHED < list.size() ? &list[begin] : nullptr; // the last outcome is of no reference
}

template <bool WithFlow> void CountStage::fetchAhead(const ReferenceBatch &batch, Met &met, uint32_t llc) const {
  for (uint32_t live : met.live) {
    objects.fetchCounts(live);
    if constexpr (WithFlow) flow->fetchOwn(live);
  }
  for (size_t i = 0; i < FETCHED; i++) {
    const uint32_t live = met.live[i] = objects.inTouched(met.granules[i]);
    objects.fetchObject(live);
    if constexpr (WithFlow) flow->fetchLife(live);
  }
  if (const Outcome *outcomes = ahead(batch.outcomes, met.outcome, FIRST_FETCH))
    for (size_t i = 0; i < FETCHED; i++) {
      const uint32_t granule = met.granules[i] = batch.references[outcomes[i].reference].granule;
      objects.fetchGranule(granule);
      if constexpr (WithFlow) flow->lines.fetch(granule >> granulesShift_);
    }
  if (plain_) fetchAhead(batch.misses, met.miss, llc);
  met.fetchesFrom = met.outcome + FETCHED;
}

void CountStage::fetchAhead(const Appended<LineMiss> &misses, const LineMiss *miss, uint32_t llc) const {
  const LineMiss *const from = ahead(misses, miss, MISS_FETCH);
  for (size_t i = 0; from && i < FETCHED; i++) {
    objects.fetchLine(from[i].victim[0]);
    bringers_.fetch(2, llc, from[i].place[2]); // the other levels' places are few: the host's caches hold them
  }
}

template void CountStage::follow<false>(const ReferenceBatch &, const LineMove *&, const Cause &);
template void CountStage::follow<true>(const ReferenceBatch &, const LineMove *&, const Cause &);
template void CountStage::fetchAhead<false>(const ReferenceBatch &, Met &, uint32_t) const;
template void CountStage::fetchAhead<true>(const ReferenceBatch &, Met &, uint32_t) const;

void CountStage::finish() {
  if (memos_) memos_->forgetAll();
  if (flow) flow->finish(totals.time);
  if (sharedAddresses) sharedAddresses->finish();
  objects.finish(totals.time);
  flush();
}

AccessLatency CountStage::latencyOf(const Outcome *outcomes, uint32_t pieces) const {
  AccessLatency latency;
  for (uint32_t piece = 0; piece < pieces; piece++) latency.meet(latencies_, outcomes[piece].bits);
  return latency;
}

// -- what happens between references

void CountStage::change(const ReferenceBatch &batch, const Change &change) {
  totals.time = change.now;
  objects.onCore(change.core);
  changes_.apply(batch, change, change.path == NO_INDEX ? 0 : callPaths.number(batch.callPaths[change.path]));
  if (change.what == Change::EVENT) {
    locks.event(batch, change.thread, batch.events[change.at]);
    event(batch.events[change.at]);
  }
  if (!flow) return;
  const bool isOpening = change.what == Change::ENTER || change.what == Change::OBJECT_RECORD;
  if (!isOpening || !closesFrame(plans_.records[change.record]))
    flow->paths.endStep(); // else what closes the frame is the same step's
}

void CountStage::event(const Event &event) {
  if (hasStamp(event.code)) totals.lastStamp = std::max(totals.lastStamp, event.stamp);
  switch (event.code) {
    case DPROF_EVENT_MARK: mark(event); break;
    case DPROF_EVENT_UNSEEN:
      if (!isKernelRange(event) || input_.kernelSlot == NO_INDEX) totals.unseenBytes += event.size;
      break;
    case DPROF_EVENT_LOST: totals.lostPaths += event.number; break;
    default: break;
  }
}

void CountStage::setMark(const std::string &name) {
  if (phases.size() < EventReader::MOST_MARKS) phases.push_back({name, totals.time});
  auto [known, isNew] = markOf_.try_emplace(&name, marks.size());
  if (isNew) marks.push_back({name, 0});
  marks[known->second].times++;
}

void CountStage::mark(const Event &event) {
  switch (event.detail) {
    case DPROF_MARK_PHASE:
      if (event.text) setMark(*event.text);
      break;
    case DPROF_MARK_CLOSED:
      totals.windowsClosed++;
      totals.closedStamps -= event.number;
      break;
    case DPROF_MARK_OPENED:
      totals.windowsOpened++;
      totals.closedStamps += event.number;
      break;
    case DPROF_MARK_DROPPED: totals.droppedWords += event.number; break;
    default: break;
  }
}

} // namespace dprof
