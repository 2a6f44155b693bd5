// Stage: trace -> placing. One pass; a block's type and its accesses are said behind its allocation.
#include "placing/survey.h"

namespace dprof {

namespace {

OperationKind kindOf(uint8_t allocator) {
  switch (allocator) {
    case DPROF_ALLOCATOR_MALLOC:
    case DPROF_ALLOCATOR_NEW: return OperationKind::MALLOC;
    case DPROF_ALLOCATOR_CALLOC: return OperationKind::CALLOC;
    case DPROF_ALLOCATOR_REALLOC: return OperationKind::REALLOC;
    case DPROF_ALLOCATOR_ALIGNED: return OperationKind::ALIGNED;
    default: return OperationKind::NONE;
  }
}

/// The trace does not say which alignment was asked for: that of the address, up to a page.
uint64_t alignmentOf(uint64_t address) { return std::clamp<uint64_t>(address & (0 - address), 16, 4096); }

} // namespace

Survey::Survey(const Input &input, const SurveyFacts &facts, const Excerpts &strides)
    : TrackedWalk(input), facts_(facts), said_(facts_), clock_(strides) {
  if (facts.elementOffset.count != input.slots.kind.count || facts.typeBytes.count != input.types.declared.count ||
      facts.isUnion.count != facts.typeBytes.count)
    throw InputError("survey: a column for each slot, and one for each type");
  tracked_.objects.watcher = this;
}

void Survey::survey() {
  run();
  for (uint32_t live : tracked_.objects.unsettled()) settle(tracked_.objects.at(live));
  for (SurveyedObject &object : objects) object.said.type = said_.settled(object.said);
  std::erase_if(operations, [](const Operation &operation) { return operation.kind == OperationKind::NONE; });
}

SurveyedObject &Survey::of(const LiveObject &object) {
  if (object.id >= objects.size()) objects.resize(object.id + size_t{1});
  return objects[object.id];
}

void Survey::settle(const LiveObject &object) {
  SurveyedObject &own = of(object);
  own.address = object.start;
  own.size = object.size;
  own.declared = object.declared;
  own.slot = object.slot;
  own.variable = object.variable;
  own.kind = object.kind;
  own.flags = static_cast<uint8_t>((object.part ? SurveyedObject::PART : 0) |
                                   (object.kind == HEAP && object.mapped ? SurveyedObject::MAPPING : 0) |
                                   (object.fromRecord ? SurveyedObject::FROM_RECORD : 0));
}

void Survey::begun(uint32_t live, const LiveObject &object, uint32_t) {
  newest_ = live;
  if (isUnsaid(object)) unsaid_++;
}

void Survey::ended(uint32_t, const LiveObject &object, bool isLast, uint32_t, uint32_t, uint64_t) {
  if (!isLast) return; // a stack variable may live again
  settle(object);
  if (!of(object).block) return;
  if (reallocs_) moved_[thread_] = operations.size();
  operations.push_back({OperationKind::FREE, thread_, object.id, 0, 0});
}

void Survey::before(uint32_t thread, const Event *event) {
  thread_ = thread;
  newest_ = 0;
  whole_ = NO_INDEX;
  reallocs_ = event && event->code == DPROF_EVENT_FREE && event->detail == DPROF_ALLOCATOR_REALLOC;
  if (!event || event->code != DPROF_EVENT_ALLOCATE || event->detail != DPROF_ALLOCATOR_PART) return;
  if (const LiveObject *whole = tracked_.find(event->address)) whole_ = whole->id;
}

void Survey::event(uint32_t, const Event &event) {
  if (event.code == DPROF_EVENT_THREAD_END) operations.push_back({OperationKind::THREAD_END, thread_, 0, 0, 0});
  if (event.code != DPROF_EVENT_ALLOCATE || !newest_) return;
  const LiveObject &object = tracked_.objects.at(newest_);
  if (object.part) of(object).whole = whole_;
  if (const OperationKind kind = kindOf(event.detail); kind != OperationKind::NONE) handOut(object, kind);
}

void Survey::handOut(const LiveObject &object, OperationKind kind) {
  of(object).block = true;
  Operation made{kind, thread_, object.id, object.size, 0};
  if (kind == OperationKind::ALIGNED) made.other = alignmentOf(object.start);
  const auto moved = moved_.find(thread_);
  if (kind == OperationKind::REALLOC) {
    if (moved == moved_.end()) {
      made.kind = OperationKind::MALLOC;
    } else {
      made.other = operations[moved->second].block;
      operations[moved->second].kind = OperationKind::NONE; // realloc frees it
    }
  }
  if (moved != moved_.end()) moved_.erase(moved);
  operations.push_back(made);
}

void Survey::record(uint32_t, const RecordPlan &plan, const uint64_t *words, const Event *) {
  isIn_ = clock_.isIn();
  clock_.pass(plan.slotCount);
  slots += plan.slotCount;
  if (plan.tag != DPROF_RECORD_SEGMENT || (!isIn_ && !unsaid_)) return;
  eachAccess(plans_, plan, words, *this);
}

bool Survey::path(uint32_t, const PlainPath &path, const uint64_t *words) {
  if (!clock_.stays(path.counts.slots)) return false;
  isIn_ = clock_.isIn();
  clock_.pass(path.counts.slots);
  slots += path.counts.slots;
  if (!isIn_ && !(unsaid_ && path.hasStructs)) return true;
  for (const PlainWord &word : path.words)
    if (const uint32_t size = plans_.slots[word.shape.slot].size) access(word.shape.slot, word.source.of(words), size);
  return true;
}

bool Survey::loop(uint32_t, const DecodedLoop &loop, const uint64_t *) {
  const uint64_t passed = loop.iterations * loop.path->wordCount;
  if (clock_.isIn() || unsaid_ || !clock_.stays(passed)) return false;
  clock_.pass(passed);
  slots += passed;
  return true;
}

void Survey::copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t size) {
  access(slot, source, size);
  access(slot + 1, destination, size);
}

void Strides::access(uint32_t by, uint64_t address) {
  const uint64_t distance = address > last ? address - last : last - address;
  const bool isSame = thread == by;
  last = address;
  thread = by;
  if (!isSame || distance < LEAST) return;
  unsigned none = MOST;
  for (unsigned i = 0; i < MOST; i++) {
    if (times[i] && bytes[i] == distance) {
      times[i]++;
      return;
    }
    if (!times[i] && none == MOST) none = i;
  }
  if (none < MOST) {
    bytes[none] = distance;
    times[none] = 1;
    return;
  }
  for (uint64_t &count : times) count--;
}

void Survey::access(uint32_t slot, uint64_t address, uint64_t) {
  if (!isIn_ && !plans_.slots[slot].isStruct) return;
  const LiveObject *object = tracked_.find(address);
  if (!object) return;
  if (isIn_ && object->size >= Strides::LEAST_OBJECT) {
    if (object->id != stridesOf_) {
      stridesOf_ = object->id;
      strides_ = &strides[object->id];
    }
    strides_->access(thread_, address);
  }
  if (plans_.slots[slot].isStruct) say(*object, slot, address);
}

void Survey::say(const LiveObject &object, uint32_t slot, uint64_t address) {
  if (!isUnsaid(object)) return;
  const uint32_t offset = facts_.elementOffset[slot];
  const uint64_t element = offset == DPROF_OFFSET_UNKNOWN ? 0 : address - object.start - offset;
  said_.access(of(object).said, plans_.slots[slot].type, element);
}

} // namespace dprof
