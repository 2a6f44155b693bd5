// Stage: trace -> replay. Records and events -> lives of objects; docs/replay/objects.md.
#include "objects/object_changes.h"

namespace dprof {

void ObjectChanges::enter(uint32_t thread, const RecordPlan &plan, const uint64_t *words, uint64_t now) {
  entering_.clear();
  for (uint32_t i = 0; i < plan.slotCount; i++) {
    const SlotPlan &slot = plans_.slots[plan.firstSlot + i];
    if (slot.kind == DPROF_SLOT_OBJECT && slot.size && slot.size != DPROF_SIZE_DYNAMIC)
      entering_.push_back({checkedAddress(*words), slot.size, STACK, slot.variable, slot.type,
                           slot.variable ? NO_INDEX : plan.firstSlot + i, thread, now});
    words += wordsOfSlot(slot);
  }
  if (!entering_.empty()) objects_.enterFrame(thread, plan.function, entering_);
}

void ObjectChanges::record(uint32_t thread, const RecordPlan &plan, const uint64_t *words, uint32_t callPath,
                           uint64_t now) {
  switch (plan.tag) {
    case DPROF_RECORD_MARKER:
      if (plan.flags & DPROF_RECORD_ENTRY) enter(thread, plan, words, now);
      break;
    case DPROF_RECORD_ALLOCATION:
      if (words[0] == ~uint64_t{0}) break; // MAP_FAILED
      objects_.allocationRecord(thread, checkedAddress(words[0]), checkedAddress(words[1]), plan.firstSlot, callPath,
                                now);
      break;
    default: objects_.freeRecord(thread, checkedAddress(words[0]), plan.firstSlot, now);
  }
}

void ObjectChanges::event(uint32_t thread, const Event &event, uint64_t now) {
  if (event.code == DPROF_EVENT_ALLOCATE || event.code == DPROF_EVENT_FREE || event.code == DPROF_EVENT_THREAD_LOCAL)
    checkedAddress(checkedAddress(event.address) + checkedAddress(event.size));
  switch (event.code) {
    case DPROF_EVENT_ALLOCATE:
      objects_.allocate(thread, event.address, event.size, event.detail, event.pool, now);
      break;
    case DPROF_EVENT_FREE: objects_.free(thread, event.address, event.size, event.detail, now); break;
    case DPROF_EVENT_THREAD_START: objects_.beginThread(event.address, event.size); break;
    case DPROF_EVENT_THREAD_END: objects_.endThread(thread, now); break;
    case DPROF_EVENT_THREAD_LOCAL: objects_.threadLocal(thread, event.unit, event.variable, event.address, now); break;
    default: break;
  }
}

void ObjectChanges::apply(const ReferenceBatch &batch, const Change &change, uint32_t callPath) {
  if (change.what == Change::EVENT) return event(change.thread, batch.events[change.at], change.now);
  const RecordPlan &plan = plans_.records[change.record];
  const uint64_t *const words = batch.words.data() + change.at;
  switch (change.what) {
    case Change::ENTER: return enter(change.thread, plan, words, change.now);
    case Change::LEAVE: return objects_.leaveFrame(change.thread, plan.function, change.now);
    default: return record(change.thread, plan, words, callPath, change.now);
  }
}

} // namespace dprof
