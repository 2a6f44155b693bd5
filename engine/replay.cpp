// Stage: replay. Steps -> accesses -> references; docs/replay.md, "From steps to references" and "Types of references".
#include "replay.h"

#include "scheduler.h"

namespace dprof {

constexpr uint64_t ADDRESSES = uint64_t{1} << 53;

/// Addresses and lengths lie below 2^53 in any program that ran; the results carry them as doubles.
static uint64_t addressOf(uint64_t word) {
  if (word < ADDRESSES) return word;
  throw TraceError("address of an access, object or event", 0, "an end below 2^53", std::to_string(word));
}

#define LATENCIES(m) {(m).level[0].latency, (m).level[1].latency, (m).level[2].latency, (m).cacheToCacheLatency, (m).memoryLatency}

Replay::Replay(const Input &in)
    : input(in), plans(makePlans(in)), file(in.path), pages(in.machine.lineShift), hierarchy(in.machine, pages), tallies(LATENCIES(in.machine)),
      settler{tallies, plans.slots, in.types.nameRank.data}, objects(in, pages, hierarchy, settler), lineMask_((1u << in.machine.lineShift) - 1),
      latencies_ LATENCIES(in.machine) {
  for (const SlotPlan &plan : plans.slots) {
    uint32_t declared = in.types.declared[plan.type];
    slots_.push_back({plan, declared, plan.hasPath && in.types.isStruct[declared], isStoreKind(plan.kind), 0, 0, NO_INDEX, 0});
  }
  for (const ThreadChunks &thread : in.threads)
    for (uint32_t bytes : thread.bytes) totalBytes_ += bytes;
}

void Replay::run() {
  objects.createGlobals();
  std::vector<std::unique_ptr<ThreadRun>> threads;
  for (uint32_t i = 0; i < input.threads.size(); i++)
    if (!input.threads[i].offset.empty())
      threads.push_back(std::make_unique<ThreadRun>(file, plans, input.threads[i], i, hierarchy.core(i % input.machine.cores)));
  bool single = hierarchy.single();
  if (threads.size() == 1) {
    while (threads[0]->ready()) {
      single ? runAlone<true>(*threads[0]) : runAlone<false>(*threads[0]);
      reportProgress(threads);
    }
  } else if (!threads.empty()) {
    single ? runInOrder<true>(*this, threads) : runInOrder<false>(*this, threads);
  }
  objects.finish(totals.time);
  for (SlotState &state : slots_) flushHits(state);
}

void Replay::reportProgress(const std::vector<std::unique_ptr<ThreadRun>> &threads) {
  if (!input.progress) return;
  double done = static_cast<double>(totals.slots);
  double read = 0;
  for (const auto &thread : threads) read += static_cast<double>(thread->decoder.bytesRead());
  double share = totalBytes_ ? read / static_cast<double>(totalBytes_) : 1;
  input.progress[0] = done;
  input.progress[1] = share > 0 ? done / share : 0;
}

// -- typing

void Replay::flushHits(SlotState &state) {
  if (state.hits) tallies.plainHits(state.row - 1, state.isStore, state.hits);
  state.hits = 0;
}

void Replay::changeRow(SlotState &state, uint32_t slot, uint32_t declared, uint32_t leaf) {
  flushHits(state);
  state.row = tallies.row(declared ? TallyKey{slot, declared, leaf, BY_OBJECT, 0} : keyOfSlot(slot, state.plan)) + 1;
  state.rowDeclared = declared;
  state.rowLeaf = leaf;
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

uint32_t Replay::addPage(uint64_t page) {
  addressOf(page << PageMap::pageShift | (page >> (64 - PageMap::pageShift) ? ~uint64_t{0} : 0));
  uint32_t frame = pages.add(page);
  if (frame >= frameCapacity_) {
    frameCapacity_ = std::max(256u, frameCapacity_ * 2);
    if (uint64_t{frameCapacity_} << pages.linesShift > 0xffffffff) throw InputError("the program touched more lines than the native engine numbers");
    objects.grow(frameCapacity_);
    hierarchy.grow(frameCapacity_ << pages.linesShift);
  }
  objects.addFrame(frame);
  return frame;
}

/// `state.row` is the reference's row afterwards, unless its object's end will tell.
template <bool Single>
[[gnu::always_inline]] inline uint32_t Replay::reference(ThreadRun &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, Target &target) {
  uint64_t page = PageMap::pageOf(address);
  uint32_t frame = pages.find(page);
  if (!frame) [[unlikely]] frame = addPage(page);
  SlotState &state = slots_[slot];
  uint32_t live = objects.find(frame, address), declared = 0, leaf = NO_INDEX;
  target.pending = nullptr;
  if (live) [[likely]] {
    LiveObject &object = objects.at(live);
    object.references++;
    if constexpr (!Single) {
      uint8_t core = static_cast<uint8_t>(thread.core.number + 1);
      if (object.lastCore != core) {
        object.flags |= object.lastCore != 0;
        object.lastCore = core;
      }
    }
    declared = object.declared;
    if (declared) {
      if (!state.namesField || state.declared != declared) leaf = declaredLeaf(object, address);
    } else if (state.plan.isStruct) {
      object.votes.add(state.plan.type);
    } else if (object.kind != GLOBAL) {
      if (!object.pending) object.pending = new Pending();
      target.pending = object.pending;
    }
  } else {
    totals.outsideLife += objects.wasFreed(frame, address);
  }
  if (!target.pending) {
    if (state.row == 0 || state.rowDeclared != declared || state.rowLeaf != leaf) [[unlikely]] changeRow(state, slot, declared, leaf);
    target.row = state.row - 1;
  }
  uint32_t id = pages.lineId(frame, address);
  uint32_t bits = hierarchy.reference<Single>(thread.core, id, store, static_cast<uint32_t>(address) & lineMask_, size);
  if constexpr (!Single) afterReference(thread, slot, address, size, store, id, live, leaf, bits);
  return bits;
}

/// What only more than one core brings: transfers, sharing, writeShared.
inline void Replay::afterReference(ThreadRun &thread, uint32_t slot, uint64_t address, uint32_t size, bool store, uint32_t id, uint32_t live,
                                   uint32_t leaf, uint32_t &bits) {
  CrossLine &line = hierarchy.cross(id);
  uint8_t core = static_cast<uint8_t>(thread.core.number + 1);
  if (line.lastCore != core) {
    if (line.lastCore) {
      uint8_t kind = slots_[slot].plan.kind;
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

void Replay::attribute(uint32_t line, const ThreadRun &thread, uint32_t slot, uint64_t address, uint32_t size, uint32_t live, uint32_t leaf, uint32_t kind) {
  const StoreSide &store = hierarchy.sharing.lastStore(line, thread.core.number, kind == TRUE_SHARING, static_cast<uint32_t>(address) & lineMask_, size);
  uint32_t owner = objects.find(pages.find(PageMap::pageOf(store.address)), store.address);
  uint32_t missed = live ? objects.at(live).id : NO_INDEX;
  bool recycled = (owner ? objects.at(owner).id : NO_INDEX) != store.object || (live && objects.at(live).lifeSequence > store.livesThen);
  uint8_t relation = recycled ? 3 : missed == store.object && live ? 0 : 1;
  hierarchy.sharing.misses[{static_cast<uint8_t>(kind), relation, slot, missed, leaf, store.slot, store.object, store.leaf}]++;
}

// -- accesses

template <bool Single> [[gnu::always_inline]] inline void Replay::access(ThreadRun &thread, uint32_t slot, uint64_t address, uint64_t size, bool store) {
  if ((address & lineMask_) + size - 1 <= lineMask_ && size) [[likely]] {
    Target target;
    uint32_t bits = reference<Single>(thread, slot, address, static_cast<uint32_t>(size), store, target);
    if (!target.pending && (bits & ~outcome::STORE) == outcome::PLAIN) [[likely]] slots_[slot].hits++;
    else count(target, slot, bits);
  } else if (size) {
    splitAccess<Single>(thread, slot, address, size, store);
  }
}

/// The first reference's outcome carries the latency of the slowest, so it is counted last.
template <bool Single> [[gnu::noinline]] void Replay::splitAccess(ThreadRun &thread, uint32_t slot, uint64_t address, uint64_t size, bool store) {
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

template <bool Single> void Replay::copy(ThreadRun &thread, uint32_t slot, uint64_t source, uint64_t destination, uint64_t size) {
  while (size) {
    uint64_t piece = std::min(size, lineMask_ + 1 - (source & lineMask_));
    access<Single>(thread, slot, source, piece, false);
    access<Single>(thread, slot + 1, destination, piece, true);
    source += piece;
    destination += piece;
    size -= piece;
  }
}

template <bool Single> const uint64_t *Replay::blockOrLanes(ThreadRun &thread, uint32_t &slot, const uint64_t *words) {
  const SlotPlan &plan = slots_[slot].plan;
  switch (plan.kind) {
  case DPROF_SLOT_COPY_LOAD: {
    const SlotPlan &store = slots_[slot + 1].plan;
    uint32_t used = store.size == DPROF_SIZE_DYNAMIC ? 3 : 2;
    copy<Single>(thread, slot++, words[0], words[1], addressOf(used == 3 ? words[2] : store.size));
    return words + used;
  }
  case DPROF_SLOT_FILL: {
    uint64_t address = *words++, size = plan.size == DPROF_SIZE_DYNAMIC ? addressOf(*words++) : plan.size;
    while (size) {
      uint64_t piece = std::min(size, lineMask_ + 1 - (address & lineMask_));
      access<Single>(thread, slot, address, piece, true);
      address += piece;
      size -= piece;
    }
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
  default: return words + 1; // OBJECT
  }
}

// -- steps

template <bool Single> [[gnu::always_inline]] inline void Replay::plainSegment(ThreadRun &thread, const RecordPlan &plan, const uint64_t *words) {
  for (uint32_t slot = plan.firstSlot, end = slot + plan.slotCount; slot < end; slot++)
    access<Single>(thread, slot, *words++, slots_[slot].plan.size, slots_[slot].isStore);
}

template <bool Single> void Replay::segment(ThreadRun &thread, const RecordPlan &plan, const uint64_t *words) {
  if (plan.plain) {
    plainSegment<Single>(thread, plan, words);
    return;
  }
  uint32_t slot = plan.firstSlot, end = slot + plan.slotCount;
  if (plan.flags & DPROF_RECORD_ENTRY) enter(thread, plan, words);
  for (; slot < end; slot++) {
    const SlotState &of = slots_[slot];
    if (isPlainKind(of.plan.kind)) access<Single>(thread, slot, *words++, of.plan.size, of.isStore);
    else words = blockOrLanes<Single>(thread, slot, words);
  }
}

void Replay::enter(ThreadRun &thread, const RecordPlan &plan, const uint64_t *words) {
  entering_.clear();
  for (uint32_t i = 0; i < plan.slotCount; i++) {
    const SlotPlan &slot = plans.slots[plan.firstSlot + i];
    if (slot.kind == DPROF_SLOT_OBJECT && slot.size && slot.size != DPROF_SIZE_DYNAMIC)
      entering_.push_back({addressOf(*words), slot.size, STACK, slot.variable, slot.type, slot.variable ? NO_INDEX : plan.firstSlot + i, thread.number, totals.time});
    words += wordsOfSlot(slot);
  }
  if (!entering_.empty()) objects.enterFrame(thread.number, plan.function, entering_);
}

/// A thread without others: nothing is chosen, so whole batches of plain segments go through one loop.
template <bool Single> void Replay::runAlone(ThreadRun &thread) {
  const RecordPlan *const records = plans.records.data();
  while (size_t count = thread.stepsDecoded()) {
    const uint32_t *steps = thread.steps();
    const uint64_t *words = thread.words();
    size_t done = 0;
    for (; done < count && steps[done] != EVENT_STEP; done++) {
      const RecordPlan &plan = records[steps[done]];
      if (!plan.plain || plan.stamped) break;
      plainSegment<Single>(thread, plan, words);
      words += plan.codedWords;
      thread.clock += plan.instructions;
      totals.slots += plan.slotCount;
    }
    totals.segments += done;
    totals.time = thread.clock;
    thread.passPlain(done, words);
    if (done < count) issue<Single>(thread);
  }
}

template <bool Single> void Replay::issue(ThreadRun &thread) {
  uint32_t record = thread.record();
  if (record == EVENT_STEP) {
    event(thread, thread.event());
    thread.passEvent();
    return;
  }
  const RecordPlan &plan = plans.records[record];
  const uint64_t *words = thread.words();
  switch (plan.tag) {
  case DPROF_RECORD_SEGMENT:
    totals.segments++;
    totals.waited += thread.waited;
    thread.waited = false;
    segment<Single>(thread, plan, words);
    totals.slots += plan.slotCount;
    thread.clock += plan.instructions;
    totals.time = std::max(totals.time, thread.clock);
    break;
  case DPROF_RECORD_MARKER:
    if (plan.flags & DPROF_RECORD_ENTRY) enter(thread, plan, words);
    break;
  case DPROF_RECORD_ALLOCATION: objects.allocationRecord(thread.number, addressOf(words[0]), addressOf(words[1]), plan.firstSlot, totals.time); break;
  default: objects.freeRecord(thread.number, addressOf(words[0]), plan.firstSlot, totals.time);
  }
  if ((plan.flags & (DPROF_RECORD_EXIT | DPROF_RECORD_FRAME)) == (DPROF_RECORD_EXIT | DPROF_RECORD_FRAME))
    objects.leaveFrame(thread.number, plan.function, totals.time);
  thread.passRecord(plan);
}

void Replay::event(ThreadRun &thread, const Event &event) {
  bool lock = event.detail == DPROF_SYNC_MUTEX || event.detail == DPROF_SYNC_RWLOCK || event.detail == DPROF_SYNC_SPINLOCK || event.detail == DPROF_SYNC_SEMAPHORE;
  bool mapped = event.detail == DPROF_ALLOCATOR_MMAP;
  if (event.code == DPROF_EVENT_ALLOCATE || event.code == DPROF_EVENT_FREE || event.code == DPROF_EVENT_THREAD_LOCAL) addressOf(addressOf(event.address) + addressOf(event.size));
  switch (event.code) {
  case DPROF_EVENT_ALLOCATE: objects.allocate(thread.number, event.address, event.size, mapped, totals.time); break;
  case DPROF_EVENT_FREE: objects.free(thread.number, event.address, event.size, mapped, totals.time); break;
  case DPROF_EVENT_ACQUIRE:
    if (lock) thread.acquire(event.detail, event.address);
    break;
  case DPROF_EVENT_RELEASE:
    if (lock) thread.release(event.detail, event.address);
    break;
  case DPROF_EVENT_THREAD_END: objects.endThread(thread.number, totals.time); break;
  case DPROF_EVENT_UNSEEN: totals.unseenBytes += event.size; break;
  case DPROF_EVENT_LOST: totals.lostSegments += event.size; break;
  case DPROF_EVENT_THREAD_LOCAL: objects.threadLocal(thread.number, event.unit, event.variable, event.address, totals.time); break;
  default: break;
  }
}

template void Replay::issue<true>(ThreadRun &);
template void Replay::issue<false>(ThreadRun &);

} // namespace dprof
