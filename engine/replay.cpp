// Stage: replay. Steps -> accesses -> references; docs/replay.md, "From steps to references" and "Types of references".
#include "replay.h"

#include "reference_stream.h"
#include "scheduler.h"

namespace dprof {

Replay::Replay(const Input &in)
    : input(in), plans(makePlans(in)), file(in.live ? TraceFile(*in.live) : TraceFile(in.path)), pages(in.machine.lineShift), hierarchy(in.machine), tallies(latenciesOf(in.machine)),
      settler{tallies, plans.slots, in.types.nameRank.data}, objects(in, pages, hierarchy, settler), lineMask_((1u << in.machine.lineShift) - 1),
      latencies_(latenciesOf(in.machine)) {
  for (const SlotPlan &plan : plans.slots) {
    uint32_t declared = in.types.declared[plan.type];
    bool namesField = plan.hasPath && in.types.isStruct[declared];
    slots_.push_back({0, plan.isStruct ? plan.type : 0, NO_INDEX, 0, namesField ? declared : 0, 0, 0, NO_INDEX, isStoreKind(plan.kind)});
  }
  for (const ThreadChunks &thread : in.threads)
    for (uint32_t bytes : thread.bytes) totalBytes_ += bytes;
}

Replay::~Replay() = default;

void Replay::run() {
  objects.createGlobals();
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < input.threads.size(); i++)
    if (!input.threads[i].offset.empty()) numbers.push_back(i);
  bool single = hierarchy.single();
  if (numbers.size() == 1 && single) {
    runAlone(numbers[0]);
  } else if (!numbers.empty()) {
    Ahead<DecodedSteps> steps(input.workers >= 2);
    ThreadRun::Open open = [&](uint32_t number) {
      return steps.open([decoder = std::make_shared<Decoder>(file, plans, input.threads[number])](DecodedSteps &into, size_t lanes) {
        bool more = decoder->next(into.batch, stepsPerBatch(lanes));
        into.bytesRead = decoder->bytesRead();
        return more;
      });
    };
    std::vector<std::unique_ptr<ThreadRun>> threads;
    for (uint32_t i : numbers) threads.push_back(std::make_unique<ThreadRun>(steps, open, i, hierarchy.core(i % input.machine.cores)));
    single ? runInOrder<true>(*this, threads) : runInOrder<false>(*this, threads);
  }
  finish();
}

void Replay::finish() {
  objects.finish(totals.time);
  for (uint32_t slot = 0; slot < slots_.size(); slot++) flushHits(slot);
}

void Replay::reportProgress(uint64_t bytesRead) {
  if (!input.progress) return;
  double done = static_cast<double>(totals.slots);
  double share = totalBytes_ ? static_cast<double>(bytesRead) / static_cast<double>(totalBytes_) : 1;
  input.progress[0] = done;
  input.progress[1] = share > 0 && !input.live ? done / share : 0;
}

// -- typing

void Replay::flushHits(uint32_t slot) {
  SlotState &state = slots_[slot];
  if (state.hits) tallies.plainHits(rowOfSlot(slot), state.isStore, state.hits);
  if (state.objectHits) tallies.plainHits(state.objectRow, state.isStore, state.objectHits);
  state.hits = state.objectHits = 0;
}

uint32_t Replay::rowOfSlot(uint32_t slot) {
  uint32_t &row = slots_[slot].row;
  if (row == NO_INDEX) row = tallies.row(keyOfSlot(slot, plans.slots[slot]));
  return row;
}

void Replay::changeObjectRow(SlotState &state, uint32_t slot, uint32_t declared, uint32_t leaf) {
  flushHits(slot);
  state.objectRow = tallies.row({slot, declared, leaf, BY_OBJECT, 0});
  state.objectType = declared;
  state.objectLeaf = leaf;
}

uint32_t Replay::leafAt(uint32_t type, int64_t offset) const {
  const auto &types = input.types;
  uint32_t span = types.leafSpan[type];
  if (types.leafBase[type] == NO_INDEX || span == 0 || offset < 0) return NO_INDEX;
  uint64_t at = static_cast<uint64_t>(offset);
  if (at >= types.flexibleFrom[type]) return types.flexibleLeaf[type];
  return types.leafAt[types.leafBase[type] + (at < span ? at : at % span)];
}

uint32_t Replay::declaredLeaf(const LiveObject &object, uint64_t address) const {
  if (!input.types.isStruct[object.declared]) return object.kind == HEAP ? NO_INDEX : object.variable;
  return leafAt(object.declared, static_cast<int64_t>(address - object.start - object.slotOffset));
}

// -- references

uint32_t Replay::addPageOfObjects(uint64_t page) {
  uint32_t frame = pages.add(page);
  objects.addFrame(frame);
  return frame;
}

template <bool Single>
[[gnu::always_inline]] inline uint32_t Replay::reference(ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, Target &target) {
  uint32_t granule = granuleOf(address), line = pages.lineOf(granule);
  SlotState &state = slots_[slot];
  uint32_t live = objects.find(granule, address), leaf = NO_INDEX;
  if (live) [[likely]] {
    LiveObject &object = objects.at(live);
    if constexpr (!Single) {
      uint8_t core = static_cast<uint8_t>(thread.core.number + 1);
      if (object.lastCore != core) {
        object.flags |= object.lastCore != 0;
        object.lastCore = core;
      }
    }
    target = typeIn(object, state, slot, address, leaf);
  } else {
    totals.outsideLife += objects.wasFreed(granule, address);
    target = {NO_INDEX, nullptr};
  }
  uint32_t bits = hierarchy.reference<Single>(thread.core, line, store, static_cast<uint32_t>(address) & lineMask_, size);
  if constexpr (!Single) afterReference(thread, slot, address, size, store, line, live, leaf, bits);
  return bits;
}

/// What only more than one core brings: transfers, sharing, writeShared.
inline void Replay::afterReference(ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, uint32_t id, uint32_t live,
                                   uint32_t leaf, uint32_t &bits) {
  CrossLine &line = hierarchy.cross(id);
  uint8_t core = static_cast<uint8_t>(thread.core.number + 1);
  if (line.lastCore != core) {
    if (line.lastCore) {
      uint8_t kind = plans.slots[slot].kind;
      bool atomic = kind >= DPROF_SLOT_ATOMIC_LOAD && kind <= DPROF_SLOT_ATOMIC_RESULT;
      bits |= outcome::TRANSFER | (thread.heldCount || atomic ? outcome::ORDER_BOUND : 0);
      if (!line.shared) line.shared = hierarchy.sharing.create();
    }
    line.lastCore = core;
  }
  if (line.firstCore != core) {
    if (line.firstCore == 0) line.firstCore = core;
    else line.manyCores = 1;
  }
  line.stored |= store;
  if (line.manyCores && line.stored && live) objects.at(live).flags |= 2;
  if (line.shared) {
    uint32_t kind = outcome::missClass(bits, 0);
    if (kind != HIT) {
      if (kind == TRUE_SHARING || kind == FALSE_SHARING) attribute(line.shared, thread, slot, address, size, live, leaf, kind);
      hierarchy.sharing.seen(line.shared, thread.core.number);
    }
    if (store)
      hierarchy.sharing.store(line.shared, thread.core.number, static_cast<uint32_t>(address) & lineMask_,
                              {address, objects.lifeSequence(), size, slot, live ? objects.at(live).id : NO_INDEX, leaf});
  }
}

void Replay::attribute(uint32_t line, const ThreadState &thread, uint32_t slot, uint64_t address, uint32_t size, uint32_t live, uint32_t leaf, uint32_t kind) {
  const StoreSide &store = hierarchy.sharing.lastStore(line, thread.core.number, kind == TRUE_SHARING, static_cast<uint32_t>(address) & lineMask_, size);
  uint32_t owner = objects.find(PageMap::granule(pages.find(PageMap::pageOf(store.address)), store.address), store.address);
  uint32_t missed = live ? objects.at(live).id : NO_INDEX;
  bool recycled = (owner ? objects.at(owner).id : NO_INDEX) != store.object || (live && objects.at(live).lifeSequence > store.livesThen);
  uint8_t relation = recycled ? 3 : missed == store.object && live ? 0 : 1;
  hierarchy.sharing.misses[{static_cast<uint8_t>(kind), relation, slot, missed, leaf, store.slot, store.object, store.leaf}]++;
}

// -- accesses

template <bool Single> [[gnu::always_inline]] inline void Replay::access(ThreadState &thread, uint32_t slot, uint64_t address, uint64_t size, bool store) {
  if ((address & lineMask_) + size - 1 <= lineMask_ && size) [[likely]] {
    Target target;
    uint32_t bits = reference<Single>(thread, slot, address, static_cast<uint32_t>(size), store, target);
    if ((bits & ~outcome::STORE) == outcome::PLAIN) [[likely]] countPlain(target, slot, slots_[slot]);
    else count(target, slot, bits);
  } else if (size) {
    splitAccess<Single>(thread, slot, address, size, store);
  }
}

/// The first reference's outcome carries the latency of the slowest, so it is counted last.
template <bool Single> [[gnu::noinline]] void Replay::splitAccess(ThreadState &thread, uint32_t slot, uint64_t address, uint64_t size, bool store) {
  Target first, target;
  uint32_t firstBits = 0, slowest = 0;
  bool missed = false;
  for (bool begin = true; size; begin = false) {
    uint64_t piece = std::min(size, lineMask_ + 1 - (address & lineMask_));
    uint32_t bits = reference<Single>(thread, slot, address, static_cast<uint32_t>(piece), store, target);
    uint32_t server = outcome::server(bits);
    missed |= server != SERVED_L1;
    if (begin) {
      first = target;
      firstBits = bits;
      slowest = server;
    } else {
      if (latencies_[server] > latencies_[slowest]) slowest = server;
      totals.continuations++;
      count(target, slot, outcome::withLatency(bits, NO_SERVER, false));
    }
    address += piece;
    size -= piece;
  }
  count(first, slot, outcome::withLatency(firstBits, slowest, missed));
}

template <bool Single> void Replay::copy(ThreadState &thread, uint32_t slot, uint64_t source, uint64_t destination, uint64_t size) {
  while (size) {
    uint64_t piece = std::min(size, lineMask_ + 1 - (source & lineMask_));
    access<Single>(thread, slot, source, piece, false);
    access<Single>(thread, slot + 1, destination, piece, true);
    source += piece;
    destination += piece;
    size -= piece;
  }
}

template <bool Single> void Replay::block(ThreadState &thread, uint32_t slot, uint64_t address, uint64_t size, bool store) {
  while (size) {
    uint64_t piece = std::min(size, lineMask_ + 1 - (address & lineMask_));
    access<Single>(thread, slot, address, piece, store);
    address += piece;
    size -= piece;
  }
}

template <bool Single> const uint64_t *Replay::blockOrLanes(ThreadState &thread, uint32_t &slot, const uint64_t *words) {
  const SlotPlan &plan = plans.slots[slot];
  switch (plan.kind) {
  case DPROF_SLOT_COPY_LOAD: {
    const SlotPlan &store = plans.slots[slot + 1];
    uint32_t used = store.size == DPROF_SIZE_DYNAMIC ? 3 : 2;
    copy<Single>(thread, slot++, words[0], words[1], checkedAddress(used == 3 ? words[2] : store.size));
    return words + used;
  }
  case DPROF_SLOT_FILL:
  case DPROF_SLOT_SCAN: {
    uint64_t address = *words++, size = plan.size == DPROF_SIZE_DYNAMIC ? checkedAddress(*words++) : plan.size;
    block<Single>(thread, slot, address, size, plan.kind == DPROF_SLOT_FILL);
    return words;
  }
  case DPROF_SLOT_MASKED_LOAD:
  case DPROF_SLOT_MASKED_STORE:
    for (uint32_t lane = 0; lane < plan.lanes && lane < 64; lane++)
      if (words[1] >> lane & 1) access<Single>(thread, slot, words[0] + uint64_t{lane} * plan.size, plan.size, plan.kind == DPROF_SLOT_MASKED_STORE);
    return words + 2;
  case DPROF_SLOT_GATHER:
  case DPROF_SLOT_SCATTER:
    for (uint32_t lane = 0; lane < plan.lanes; lane++)
      if (words[lane]) access<Single>(thread, slot, words[lane], plan.size, plan.kind == DPROF_SLOT_SCATTER);
    return words + plan.lanes;
  default: return words + 1; // OBJECT, VALUE, ARGUMENT
  }
}

// -- steps

template <bool Single> void Replay::segment(ThreadState &thread, const RecordPlan &plan, const uint64_t *words) {
  if (plan.flags & DPROF_RECORD_ENTRY && !plan.plain) enter(thread.number, plan, words);
  for (uint32_t slot = plan.firstSlot, end = slot + plan.slotCount; slot < end; slot++) {
    const SlotPlan &of = plans.slots[slot];
    if (isPlainKind(of.kind)) access<Single>(thread, slot, *words++, of.size, slots_[slot].isStore);
    else words = blockOrLanes<Single>(thread, slot, words);
  }
}

void Replay::enter(uint32_t thread, const RecordPlan &plan, const uint64_t *words) {
  entering_.clear();
  for (uint32_t i = 0; i < plan.slotCount; i++) {
    const SlotPlan &slot = plans.slots[plan.firstSlot + i];
    if (slot.kind == DPROF_SLOT_OBJECT && slot.size && slot.size != DPROF_SIZE_DYNAMIC)
      entering_.push_back({checkedAddress(*words), slot.size, STACK, slot.variable, slot.type, slot.variable ? NO_INDEX : plan.firstSlot + i, thread, totals.time});
    words += wordsOfSlot(slot);
  }
  if (!entering_.empty()) objects.enterFrame(thread, plan.function, entering_);
}

template <bool Single> void Replay::issue(ThreadRun &thread) {
  uint32_t record = thread.record();
  if (record == EVENT_STEP) {
    thread.countLocks(thread.event());
    event(thread.number, thread.event());
    if (isKernelRange(thread.event()) && input.kernelSlot != NO_INDEX) block<Single>(thread, input.kernelSlot, thread.event().address, thread.event().size, true);
    thread.passEvent();
    return;
  }
  const RecordPlan &plan = plans.records[record];
  const uint64_t *words = thread.words();
  thread.calls.pass(plan);
  if (plan.tag == DPROF_RECORD_SEGMENT) {
    totals.segments++;
    totals.waited += thread.waited;
    thread.waited = false;
    segment<Single>(thread, plan, words);
    totals.slots += plan.slotCount;
    thread.clock += plan.instructions;
    totals.time = std::max(totals.time, thread.clock);
  } else {
    objectRecord(thread.number, plan, words, plan.tag == DPROF_RECORD_ALLOCATION ? callPaths.number(thread.calls.path()) : 0);
  }
  if (closesFrame(plan)) objects.leaveFrame(thread.number, plan.function, totals.time);
  thread.passRecord(plan);
}

/// A record that is no segment.
void Replay::objectRecord(uint32_t thread, const RecordPlan &plan, const uint64_t *words, uint32_t callPath) {
  switch (plan.tag) {
  case DPROF_RECORD_MARKER:
    if (plan.flags & DPROF_RECORD_ENTRY) enter(thread, plan, words);
    break;
  case DPROF_RECORD_ALLOCATION:
    if (words[0] == ~uint64_t{0}) break; // MAP_FAILED
    objects.allocationRecord(thread, checkedAddress(words[0]), checkedAddress(words[1]), plan.firstSlot, callPath, totals.time);
    break;
  default: objects.freeRecord(thread, checkedAddress(words[0]), plan.firstSlot, totals.time);
  }
}

void Replay::event(uint32_t thread, const Event &event) {
  if (event.code == DPROF_EVENT_ALLOCATE || event.code == DPROF_EVENT_FREE || event.code == DPROF_EVENT_THREAD_LOCAL)
    checkedAddress(checkedAddress(event.address) + checkedAddress(event.size));
  if (hasStamp(event.code)) totals.lastStamp = std::max(totals.lastStamp, event.stamp);
  switch (event.code) {
  case DPROF_EVENT_MARK: mark(event); break;
  case DPROF_EVENT_ALLOCATE: objects.allocate(thread, event.address, event.size, event.detail, event.pool, totals.time); break;
  case DPROF_EVENT_FREE: objects.free(thread, event.address, event.size, event.detail, totals.time); break;
  case DPROF_EVENT_THREAD_END: objects.endThread(thread, totals.time); break;
  case DPROF_EVENT_UNSEEN:
    if (!isKernelRange(event) || input.kernelSlot == NO_INDEX) totals.unseenBytes += event.size;
    break;
  case DPROF_EVENT_LOST: totals.lostSegments += event.size; break;
  case DPROF_EVENT_THREAD_LOCAL: objects.threadLocal(thread, event.unit, event.variable, event.address, totals.time); break;
  default: break;
  }
}

void Replay::mark(const Event &event) {
  switch (event.detail) {
  case DPROF_MARK_PHASE:
    if (phases.size() < EventReader::MOST_MARKS && event.text) phases.push_back({*event.text, totals.time});
    break;
  case DPROF_MARK_CLOSED:
    totals.windowsClosed++;
    totals.closedStamps -= event.size;
    break;
  case DPROF_MARK_OPENED:
    totals.windowsOpened++;
    totals.closedStamps += event.size;
    break;
  case DPROF_MARK_DROPPED: totals.droppedWords += event.size; break;
  default: break;
  }
}

template void Replay::issue<true>(ThreadRun &);
template void Replay::issue<false>(ThreadRun &);

} // namespace dprof
