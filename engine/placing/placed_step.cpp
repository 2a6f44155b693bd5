// Stage: placing. Each kind of slot in its turn.
#include "placing/placed_step.h"

namespace dprof {

void PlacedStep::begin(const RecordPlan &plan) {
  own_ = static_cast<uint32_t>(&plan - plans_.records.data());
  several_ = plan.firstSlot;
  parts.clear();
  words.clear();
  slots_.clear();
  isVariant_ = false;
}

/// The record, or a part of it, with the slots at hand.
uint32_t PlacedStep::variantOf(RecordPart part) const {
  const uint32_t number = variants_.record(own_, slots_, part);
  if (number == NO_INDEX) throw ScatteredError(several_);
  return number;
}

/// Before an access that the record has no room for.
void PlacedStep::makeRoom() {
  if (!isVariant_ || slots_.size() < MOST_SLOTS) return;
  parts.push_back({variantOf(parts.empty() ? RecordPart::FIRST : RecordPart::MIDDLE), words});
  words.clear();
  slots_.clear();
}

void PlacedStep::take(const RecordPlan &plan, const uint64_t *from) {
  begin(plan);
  if (plan.tag == DPROF_RECORD_ALLOCATION || plan.tag == DPROF_RECORD_FREE)
    site(plan, from);
  else
    accesses(plan, from);
  record = isVariant_ ? variantOf(parts.empty() ? RecordPart::WHOLE : RecordPart::LAST) : own_;
}

void PlacedStep::skim(const RecordPlan &plan, const uint64_t *from) {
  begin(plan);
  for (uint32_t slot = plan.firstSlot, end = slot + plan.slotCount; slot < end; slot++) {
    if (plans_.slots[slot].kind == DPROF_SLOT_OBJECT) object(slot, *from, plans_.slots[slot].size);
    from += wordsOfSlot(plans_.slots[slot]);
  }
  record = slots_.size() == plan.slotCount && !isVariant_ ? own_ : variantOf(RecordPart::WHOLE);
}

void PlacedStep::writeTo(StepEncoder &steps, const Event *stamp) const {
  for (const FirstPart &part : parts)
    steps.path(part.record, part.words.data(), static_cast<uint32_t>(part.words.size()), nullptr);
  steps.path(record, words.data(), static_cast<uint32_t>(words.size()), stamp);
}

void PlacedStep::site(const RecordPlan &plan, const uint64_t *from) {
  if (plan.tag == DPROF_RECORD_FREE) {
    words.push_back(placement.begin(from[0]));
  } else if (from[0] >> 32 == 0xffffffff) { // nothing was given out
    words.assign(from, from + plan.codedWords);
  } else {
    words.push_back(placement.begin(from[0]));
    words.push_back(placement.sizeAt(from[0], from[1]));
  }
}

void PlacedStep::accesses(const RecordPlan &plan, const uint64_t *from) {
  for (uint32_t slot = plan.firstSlot, end = slot + plan.slotCount; slot < end; slot++) {
    const SlotPlan &of = plans_.slots[slot];
    switch (of.kind) {
      case DPROF_SLOT_SITE: slots_.push_back(slot); break;
      case DPROF_SLOT_VALUE:
      case DPROF_SLOT_ARGUMENT:
        slots_.push_back(slot);
        words.push_back(*from++);
        break;
      case DPROF_SLOT_OBJECT: object(slot, *from++, of.size); break;
      case DPROF_SLOT_COPY_LOAD: {
        const uint32_t length = plans_.slots[slot + 1].size;
        const bool dynamic = length == DPROF_SIZE_DYNAMIC;
        copy(slot, from[0], from[1], dynamic ? from[2] : length, dynamic);
        from += dynamic ? 3 : 2;
        slot++;
        break;
      }
      case DPROF_SLOT_FILL:
      case DPROF_SLOT_SCAN: {
        const bool dynamic = of.size == DPROF_SIZE_DYNAMIC;
        block(slot, from[0], dynamic ? from[1] : of.size, dynamic);
        from += dynamic ? 2 : 1;
        break;
      }
      case DPROF_SLOT_MASKED_LOAD:
      case DPROF_SLOT_MASKED_STORE:
        masked(slot, of, from);
        from += 2;
        break;
      case DPROF_SLOT_GATHER:
      case DPROF_SLOT_SCATTER:
        lanes(slot, of, from);
        from += of.lanes;
        break;
      case DPROF_SLOT_LOAD:
      case DPROF_SLOT_STORE: access(slot, *from++, of.size); break;
      default: // an atomic is one access, whatever becomes of its bytes
        atomic(slot, *from++, of.size);
    }
  }
}

void PlacedStep::object(uint32_t slot, uint64_t address, uint64_t bytes) {
  variant(slot, placement.sizeAt(address, bytes), 0);
  words.push_back(placement.begin(address));
}

void PlacedStep::atomic(uint32_t slot, uint64_t address, uint64_t bytes) {
  const uint64_t to = together(slot, address, bytes);
  follow(slot, placement.pointer);
  slots_.push_back(slot);
  words.push_back(to);
}

/// Loads the pointer to a cold part.
void PlacedStep::follow(uint32_t slot, uint64_t pointer) {
  if (pointer == APART) return;
  pointerLoads++;
  variant(slot, 8, SlotVariant::POINTER);
  words.push_back(pointer);
}

void PlacedStep::access(uint32_t slot, uint64_t address, uint64_t bytes) {
  const uint64_t to = placement.place(address, std::max<uint64_t>(1, bytes));
  if (to != APART) [[likely]] {
    follow(slot, placement.pointer);
    slots_.push_back(slot);
    words.push_back(to);
    return;
  }
  placement.pieces(address, bytes, false, from_);
  countPieces(from_.size(), slot);
  for (const PlacedPiece &piece : from_) {
    follow(slot, piece.pointer);
    variant(slot, piece.newBytes, piece.from);
    words.push_back(piece.address);
  }
}

/// Of bytes that no change may separate.
uint64_t PlacedStep::together(uint32_t slot, uint64_t address, uint64_t bytes) {
  const uint64_t to = placement.place(address, std::max<uint64_t>(1, bytes));
  if (to == APART) throw SeparatedError(slot);
  return to;
}

void PlacedStep::block(uint32_t slot, uint64_t address, uint64_t bytes, bool dynamic) {
  placement.pieces(address, bytes, true, from_);
  countPieces(from_.size(), slot);
  for (const PlacedPiece &piece : from_) {
    makeRoom();
    follow(slot, piece.pointer);
    sized(slot, piece.newBytes, dynamic);
    words.push_back(piece.address);
    if (dynamic) words.push_back(piece.newBytes);
  }
}

void PlacedStep::copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t bytes, bool dynamic) {
  // Whole elements on both sides are one piece; else fields are.
  placement.pieces(source, bytes, true, from_);
  placement.pieces(destination, bytes, true, to_);
  bool alike = from_.size() == to_.size();
  for (size_t i = 0; alike && i < from_.size(); i++)
    alike = from_[i].from == to_[i].from && from_[i].bytes == to_[i].bytes && from_[i].newBytes == to_[i].newBytes;
  if (!alike) {
    placement.pieces(source, bytes, false, from_);
    placement.pieces(destination, bytes, false, to_);
    sideBySide();
  }
  countPieces(from_.size(), slot);
  for (size_t i = 0; i < from_.size(); i++) {
    makeRoom();
    follow(slot, from_[i].pointer);
    follow(slot, to_[i].pointer);
    slots_.push_back(slot);
    sized(slot + 1, from_[i].newBytes, dynamic);
    words.push_back(from_[i].address);
    words.push_back(to_[i].address);
    if (dynamic) words.push_back(from_[i].newBytes);
  }
}

/// The bytes that both sides have, cut where either is cut.
void PlacedStep::sideBySide() {
  cutFrom_.clear();
  cutTo_.clear();
  for (size_t a = 0, b = 0; a < from_.size() && b < to_.size();) {
    const PlacedPiece &from = from_[a], &to = to_[b];
    const uint64_t begin = std::max(from.from, to.from), endA = from.from + from.bytes, endB = to.from + to.bytes;
    const uint64_t end = std::min(endA, endB);
    if (end > begin) {
      cutFrom_.push_back({begin, end - begin, from.address + begin - from.from, end - begin, from.pointer});
      cutTo_.push_back({begin, end - begin, to.address + begin - to.from, end - begin, to.pointer});
    }
    if (endA <= endB) a++;
    if (endB <= endA) b++;
  }
  from_.swap(cutFrom_);
  to_.swap(cutTo_);
}

/// Each lane has an address; all pointers are loaded before the vector is. 0: the lane is inactive.
void PlacedStep::lanes(uint32_t slot, const SlotPlan &of, const uint64_t *from) {
  lanes_.clear();
  for (uint32_t lane = 0; lane < of.lanes; lane++) {
    lanes_.push_back(from[lane] ? together(slot, from[lane], of.size) : 0);
    if (from[lane]) follow(slot, placement.pointer);
  }
  slots_.push_back(slot);
  words.insert(words.end(), lanes_.begin(), lanes_.end());
}

void PlacedStep::masked(uint32_t slot, const SlotPlan &of, const uint64_t *from) {
  const uint32_t lanes = of.lanes;
  const uint64_t active = lanes < 64 ? from[1] & ((uint64_t{1} << lanes) - 1) : from[1];
  uint64_t base = from[0];
  if (active != 0) {
    const auto first = static_cast<uint64_t>(std::countr_zero(active));
    const uint64_t last = 63 - static_cast<uint64_t>(std::countl_zero(active));
    base = together(slot, from[0] + first * of.size, (last - first + 1) * of.size) - first * of.size;
    follow(slot, placement.pointer);
  }
  slots_.push_back(slot);
  words.push_back(base);
  words.push_back(from[1]);
}

void PlacedStep::countPieces(size_t count, uint32_t slot) {
  if (count == 1) return;
  several_ = slot;
  if (count > MOST_PIECES) throw ScatteredError(slot);
  split++;
  isVariant_ = true;
}

void PlacedStep::variant(uint32_t slot, uint64_t sizeBytes, uint64_t further) {
  const uint32_t number = variants_.slot(slot, sizeBytes, further);
  isVariant_ |= number != slot || further > 0;
  slots_.push_back(number);
}

/// A block's slot; a dynamic one says its size in a word.
void PlacedStep::sized(uint32_t slot, uint64_t sizeBytes, bool dynamic) {
  dynamic ? slots_.push_back(slot) : variant(slot, sizeBytes, 0);
}

} // namespace dprof
