// Stage: replay -> stream. A stretch of references that hit, by one thread on one core, is added column by column.
#include "stream/row_stage.h"

#include <algorithm>

namespace dprof {

RowStage::RowStage(const Input &input, const Plans &plans, const ReferenceColumns &columns, uint32_t number,
                   std::function<void(ReferenceRows &)> take)
    : plans_(plans), columns_(columns), take_(std::move(take)), lineMask_((1u << input.machine.lineShift) - 1),
      granulesShift_(input.machine.lineShift - PageMap::granuleShift), isPlain_(input.machine.whole.plain),
      coresPer_{input.machine.whole.coresPerL1, input.machine.whole.coresPerL2, input.machine.coresPerLlc},
      latencies_(latenciesOf(input.machine)), pages_(input.machine.lineShift),
      firstSteady_(static_cast<uint32_t>(plans.slots.size())), firstJoined_(firstSteady_ + STEADY_SLOTS),
      steady_(STEADY_SLOTS), thread_(number) {
  if (columns.ofObjects()) objects_.emplace(input, plans);
}

void RowStage::add(const ReferenceBatch &batch) {
  if (batch.begins) waits_ = false;
  if (columns_.evicts())
    for (const uint64_t page : batch.newPages) pages_.add(page);
  joined_.insert(joined_.end(), batch.joined.begin(), batch.joined.end());
  for (const SteadySlot &of : batch.steady) steady_[of.slot - firstSteady_] = of.path;
  mayExpand_ |= !batch.joined.empty() || !batch.steady.empty();
  const bool hasOutcomes = columns_.ofCaches();
  Place place{0,
              batch.odd.data(),
              batch.odd.data() + batch.odd.size(),
              batch.turns.data(),
              batch.turns.data() + batch.turns.size(),
              batch.threads.data(),
              batch.threads.data() + batch.threads.size(),
              batch.callers.data(),
              batch.callers.data() + batch.callers.size(),
              batch.blockBytes.data(),
              hasOutcomes ? batch.outcomes.data() : nullptr,
              batch.misses.data(),
              hasOutcomes && !batch.lineMoves.empty() ? batch.lineMoves.data() : nullptr,
              batch.values.data(),
              batch.values.data() + batch.values.size()};
  const Change *next = batch.changes.data();
  auto changesTo = [&](size_t end) {
    for (; next < batch.changes.data() + end; next++) {
      addTo(batch, place, next->before);
      if (objects_) objects_->changes.apply(batch, *next, 0);
    }
  };
  const LoopOutcome *outcome = hasOutcomes ? batch.loopOutcomes.data() : nullptr;
  const LineMiss *miss = batch.loopMisses.data();
  for (const LoopRun &run : batch.runs) {
    changesTo(run.changesBefore);
    addTo(batch, place, run.before);
    addRun(batch, run, outcome, miss);
  }
  changesTo(batch.changes.size());
  addTo(batch, place, batch.count);
}

void RowStage::addTo(const ReferenceBatch &batch, Place &place, uint32_t end) {
  if (waits_) return;
  while (place.at < end) {
    for (; place.turn < place.turnsEnd && place.turn->reference <= place.at; place.turn++) core_ = place.turn->core;
    for (; place.thread < place.threadsEnd && place.thread->reference <= place.at; place.thread++)
      thread_ = place.thread->thread;
    for (; place.callers < place.callersEnd && place.callers->reference <= place.at; place.callers++)
      callers_ = *place.callers;
    uint32_t stop = end;
    if (place.callers < place.callersEnd) stop = std::min(stop, place.callers->reference);
    if (place.turn < place.turnsEnd) stop = std::min(stop, place.turn->reference);
    if (place.thread < place.threadsEnd) stop = std::min(stop, place.thread->reference);
    const uint32_t oddAt = place.odd < place.oddEnd ? place.odd->reference : NO_INDEX;
    stop = std::min(stop, oddAt);
    if (place.outcome) stop = std::min(stop, place.outcome->reference);
    if (place.at < stop) {
      addStretch(batch, place, stop);
    } else if (place.at == oddAt) {
      addOdd(batch, place, *place.odd++);
    } else {
      AccessLatency latency;
      latency.meet(latencies_, place.outcome->bits);
      addStretch(batch, place, place.at + 1);
      addMet(batch, place, latency, 0);
    }
    if (rows_.count() >= FULL) handOver();
  }
}

template <typename T, typename Get> void RowStage::append(RowColumn<T> &column, uint32_t count, Get get) {
  const size_t before = column.size();
  column.resize(before + count);
  T *const at = column.data() + before;
  for (uint32_t i = 0; i < count; i++) at[i] = static_cast<T>(get(i));
}

/// References that have no outcome, or none yet.
void RowStage::addStretch(const ReferenceBatch &batch, Place &place, uint32_t end) {
  const uint32_t first = place.at;
  const Reference *const references = batch.references.data();
  const uint64_t *const times = columns_.timed() ? batch.times.data() : nullptr;
  place.at = end;
  const size_t row = rows_.count();
  if (!mayExpand_) {
    addPlain(references + first, times ? times + first : nullptr, end - first, place);
    return setValues(place, end, [&](uint32_t reference) { return row + (reference - first); });
  }
  expanded_.clear();
  expandedTimes_.clear();
  expandedAt_.clear();
  for (uint32_t at = first; at < end; at++) {
    const Reference &of = references[at];
    const uint64_t time = times ? times[at] : 0;
    if (columns_.value) expandedAt_.push_back(static_cast<uint32_t>(expanded_.size()));
    if (of.slot < firstSteady_) {
      expanded_.push_back(of);
      if (times) expandedTimes_.push_back(time);
    } else if (of.slot >= firstJoined_) {
      expandRun(of.slot, of.address, time);
    } else {
      expandPath(*steady_[of.slot - firstSteady_], time);
    }
  }
  addPlain(expanded_.data(), expandedTimes_.data(), static_cast<uint32_t>(expanded_.size()), place);
  setValues(place, end, [&](uint32_t reference) { return row + expandedAt_[reference - first]; });
}

/// Of the references up to `end`, whose rows are there.
template <typename RowOf> void RowStage::setValues(Place &place, uint32_t end, RowOf rowOf) {
  if (!columns_.value) return;
  rows_.value.resize(rows_.count(), 0);
  for (; place.value < place.valuesEnd && place.value->reference < end; place.value++)
    setValue(rowOf(place.value->reference), place.value->value);
}

void RowStage::setValue(size_t row, uint64_t value) {
  rows_.value[row] = value;
  if (rows_.valueKnown.size() <= row / 8) rows_.valueKnown.resize((row / 64 + 1) * 8, 0);
  rows_.valueKnown[row / 8] |= static_cast<uint8_t>(1u << row % 8);
}

void RowStage::expandPath(const SteadyPath &path, uint64_t time) {
  for (size_t i = 0; i < path.references.size(); i++) {
    const Reference &of = path.references[i];
    const uint64_t at = columns_.timed() ? time + path.before[i] : 0;
    if (of.slot >= firstJoined_) {
      expandRun(of.slot, of.address, at);
      continue;
    }
    expanded_.push_back(of);
    if (columns_.timed()) expandedTimes_.push_back(at);
  }
}

void RowStage::expandRun(uint32_t slot, uint64_t address, uint64_t time) {
  for (const JoinedWord &word : *joined_[slot - firstJoined_]) {
    const SlotShape &shape = plans_.shapes[word.slot];
    expanded_.push_back({address + word.offset, word.slot, shape.size, shape.store, 0});
    if (columns_.timed()) expandedTimes_.push_back(time + word.before);
  }
}

void RowStage::addPlain(const Reference *references, const uint64_t *times, uint32_t count, Place &place) {
  append(rows_.slot, count, [&](uint32_t i) { return references[i].slot; });
  if (columns_.address) append(rows_.address, count, [&](uint32_t i) { return references[i].address; });
  if (columns_.size)
    append(rows_.size, count, [&](uint32_t i) -> uint32_t {
      const Reference &of = references[i];
      if (of.size != SIZE_BY_SLOT) return 1u << of.size;
      return plans_.hasBlockBytes(of.slot) ? *place.blockBytes++ : plans_.slots[of.slot].size;
    });
  if (columns_.thread) rows_.thread.resize(rows_.count(), thread_);
  if (columns_.core) rows_.core.resize(rows_.count(), core_);
  for (size_t i = 0; i < CallersStart::MOST; i++)
    if (columns_.caller[i]) rows_.caller[i].resize(rows_.count(), callers_.functions[i]);
  if (columns_.time) append(rows_.time, count, [&](uint32_t i) { return times[i]; });
  if (objects_)
    for (uint32_t i = 0; i < count; i++) addObject(references[i].address, times ? times[i] : 0);
  if (columns_.outcome)
    append(rows_.outcome, count, [&](uint32_t i) { return outcome::PLAIN | uint32_t{references[i].store}; });
  for (unsigned level = 0; level < 3; level++) {
    if (columns_.evicted[level]) rows_.evicted[level].resize(rows_.count(), 0);
    if (columns_.evictedObject[level]) rows_.evictedObject[level].resize(rows_.count(), NO_INDEX);
  }
  if (columns_.invalidated) rows_.invalidated.resize(rows_.count(), 0);
}

/// One row for each line.
void RowStage::addOdd(const ReferenceBatch &batch, Place &place, const OddAccess &access) {
  const Reference &reference = batch.references[access.reference];
  uint64_t address = reference.address, left = ~uint64_t{0}; // enough where nobody asks for sizes
  if (columns_.size)
    left = plans_.hasBlockBytes(reference.slot) ? *place.blockBytes++ : plans_.slots[reference.slot].size;
  const bool isValued = columns_.value && place.value < place.valuesEnd && place.value->reference == access.reference;
  AccessLatency latency;
  if (place.outcome)
    for (uint32_t piece = 0; piece < access.pieces; piece++) latency.meet(latencies_, place.outcome[piece].bits);
  for (uint32_t piece = 0; piece < access.pieces; piece++) {
    const uint64_t size = std::min<uint64_t>(left, lineMask_ + 1 - (address & lineMask_));
    addRow(reference.slot, reference.store, address, size, columns_.timed() ? batch.times[access.reference] : 0);
    if (isValued) setValue(rows_.count() - 1, place.value->value);
    if (place.outcome) addMet(batch, place, latency, piece);
    address += size;
    left -= size;
  }
  place.value += isValued;
  place.at++;
}

void RowStage::addRow(uint32_t slot, bool store, uint64_t address, uint64_t size, uint64_t time) {
  rows_.slot.push_back(slot);
  if (columns_.address) rows_.address.push_back(static_cast<double>(address));
  if (columns_.size) rows_.size.push_back(static_cast<uint32_t>(size));
  if (columns_.thread) rows_.thread.push_back(thread_);
  if (columns_.core) rows_.core.push_back(core_);
  for (size_t i = 0; i < CallersStart::MOST; i++)
    if (columns_.caller[i]) rows_.caller[i].push_back(callers_.functions[i]);
  if (columns_.time) rows_.time.push_back(static_cast<double>(time));
  if (objects_) addObject(address, time);
  if (columns_.value) rows_.value.push_back(0);
  if (columns_.outcome) rows_.outcome.push_back(outcome::PLAIN | uint32_t{store});
  for (unsigned level = 0; level < 3; level++) {
    if (columns_.evicted[level]) rows_.evicted[level].push_back(0);
    if (columns_.evictedObject[level]) rows_.evictedObject[level].push_back(NO_INDEX);
  }
  if (columns_.invalidated) rows_.invalidated.push_back(0);
}

/// The last row gets the next outcome.
void RowStage::addMet(const ReferenceBatch &batch, Place &place, const AccessLatency &latency, uint32_t piece) {
  const uint32_t bits = place.outcome->bits;
  if (columns_.outcome) rows_.outcome.back() = latency.bitsOf(piece, bits);
  if (isPlain_) note(bits, place.miss);
  const uint32_t at = static_cast<uint32_t>(place.outcome++ - batch.outcomes.data());
  if (!place.move) return;
  bool evicted[3] = {};
  for (; place.move->outcome == at; place.move++) {
    const LineEvent &event = place.move->event;
    if (event.kind == LineEvent::INVALIDATED) {
      if (columns_.invalidated) rows_.invalidated.back()++;
    } else if (!isPlain_ && !evicted[event.level] && place.move->left != NO_INDEX &&
               event.unit == core_ / coresPer_[event.level] &&
               (event.kind == LineEvent::EVICTED || event.kind == LineEvent::FILLED)) {
      evict(event.level, batch.leftLines[place.move->left]);
      evicted[event.level] = true;
    }
  }
}

/// The last row is of a reference with these bits, on a plain machine.
void RowStage::note(uint32_t bits, const LineMiss *&miss) {
  if (outcome::missClass(bits, 0) == HIT) return;
  if (columns_.evicts())
    for (unsigned level = 0; level < 3 && outcome::missClass(bits, level) != HIT; level++)
      if (miss->victim[level]) evict(level, pages_.addressOf(miss->victim[level] << granulesShift_));
  miss++;
}

/// This line had to leave the level for the last row's.
void RowStage::evict(unsigned level, uint64_t line) {
  if (columns_.evicted[level]) rows_.evicted[level].back() = static_cast<double>(line);
  if (!columns_.evictedObject[level]) return;
  const LiveObject *const object = objects_->find(line);
  rows_.evictedObject[level].back() = object ? object->id : NO_INDEX;
}

void RowStage::addRun(const ReferenceBatch &batch, const LoopRun &run, const LoopOutcome *&outcome,
                      const LineMiss *&miss) {
  const LoopOutcome *const end = outcome ? batch.loopOutcomes.data() + run.outcomesEnd : nullptr;
  if (waits_) return;
  core_ = 0;
  for (uint32_t i = 0; i < run.iterations; i++) {
    for (uint32_t k = 0; k < run.streams; k++) {
      const LoopStream &stream = batch.streams[run.firstStream + k];
      const uint64_t address = stream.address + static_cast<uint64_t>(stream.stride) * i;
      const uint64_t time = run.time + uint64_t{run.instructions} * i + stream.before;
      const uint64_t toLine = lineMask_ + 1 - (address & lineMask_);
      const bool isOver = stream.size > toLine;
      auto meet = [&](const AccessLatency &latency, uint32_t piece) {
        if (columns_.outcome) rows_.outcome.back() = latency.bitsOf(piece, outcome->bits);
        note(outcome->bits, miss);
        outcome++;
      };
      const bool isMet = outcome < end && outcome->iteration == i && outcome->stream == k;
      AccessLatency latency;
      if (isMet) latency.meet(latencies_, outcome->bits);
      if (isMet && isOver) latency.meet(latencies_, outcome[1].bits);
      addRow(stream.slot, stream.store, address, isOver ? toLine : stream.size, time);
      if (isMet) meet(latency, 0);
      if (!isOver) continue;
      addRow(stream.slot, stream.store, address + toLine, stream.size - toLine, time);
      if (isMet)
        meet(latency, 1);
      else if (columns_.outcome)
        rows_.outcome.back() = outcome::withLatency(rows_.outcome.back(), NO_SERVER, false);
    }
    if (rows_.count() >= FULL) handOver();
  }
}

void RowStage::addObject(uint64_t address, uint64_t time) {
  const LiveObject *const object = objects_->find(address);
  if (columns_.object) rows_.object.push_back(object ? object->id : NO_INDEX);
  if (columns_.offset) rows_.offset.push_back(object ? static_cast<double>(address - object->start) : 0);
  if (columns_.site) rows_.site.push_back(object && object->kind == HEAP ? object->slot : NO_INDEX);
  if (columns_.age) rows_.age.push_back(object ? static_cast<double>(time - object->bornAt) : 0);
}

void RowStage::handOver() {
  if (columns_.number)
    append(rows_.number, static_cast<uint32_t>(rows_.count()), [this](uint32_t) { return given_++; });
  if (columns_.value) rows_.valueKnown.resize((rows_.count() + 63) / 64 * 8, 0);
  take_(rows_);
  rows_ = {};
}

} // namespace dprof
