// Stage: recorder. Each access is one record; a copy is a load and a store, a lane of a masked or gathered access a
// record of its own.
#include "record_decoder.h"

#include <algorithm>

#include "event_writer.h"
#include "path_reader.h"
#include "unit_view.h"

namespace dprof {

namespace {

constexpr size_t most_pending = 1 << 16; // records, before a loop goes on
constexpr size_t most_texts = 4096;

} // namespace

bool PathPlans::build_loop(const PathSource &source, const UnitView &unit, Plan *plan) const {
  dprof_region region = unit.region(source.entry);
  dprof_node node = unit.node(region.first_node);
  plan->is_loop = true;
  std::unordered_map<uint32_t, const Step *> bases;
  uint32_t slots = 0, word = 1;
  for (uint32_t i = 0; i < node.record_count; i++) slots += unit.record((uint64_t)node.first_record + i).slot_count;
  plan->steps.reserve(slots); // `bases` points there
  for (uint32_t r = 0; r < node.record_count; r++) {
    dprof_record record = unit.record((uint64_t)node.first_record + r);
    if (r == source.number) plan->tail_steps = (uint32_t)plan->steps.size();
    for (uint32_t i = record.first_slot; i < record.first_slot + record.slot_count; i++) {
      dprof_slot slot = unit.slot(i);
      if (slot.kind < DPROF_SLOT_LOAD || slot.kind > DPROF_SLOT_FILL || slot.size_bytes == DPROF_SIZE_DYNAMIC)
        return false;
      Step step = {sites_.site(source.unit_number, i), slot.size_bytes, word, 0, 0, slot.lanes, slot.kind};
      if (slot.base) {
        auto base = bases.find(slot.base - 1);
        if (base == bases.end()) return false;
        step.word = base->second->word;
        step.stride_word = base->second->stride_word;
        step.stride = base->second->stride;
        step.delta = slot.delta;
      } else {
        word++;
        if (slot.delta == DPROF_STRIDE_LOGGED)
          step.stride_word = word++;
        else
          step.stride = slot.delta;
      }
      plan->steps.push_back(step);
      if (!slot.base) bases[i] = &plan->steps.back();
    }
  }
  return true;
}

bool PathPlans::build(const PathSource &source, Plan *plan) const {
  UnitView unit(source.unit);
  PathShape shape;
  if (!read_path(unit, source.entry, source.number, &shape)) return false;
  plan->words = shape.words;
  plan->segments = shape.segments;
  plan->stamp_event = shape.stamp_event;
  if (unit.region(source.entry).flags & DPROF_REGION_LOOP) return build_loop(source, unit, plan);
  std::unordered_map<uint32_t, uint32_t> address_words; // of slots that are not derived
  for (const PathRecord &at : shape.records) {
    dprof_record record = unit.record(at.record);
    uint32_t word = at.first_word;
    if (record.tag == DPROF_RECORD_ALLOCATION || record.tag == DPROF_RECORD_FREE) {
      const dprof_sink_site *site = record.slot_count ? sites_.site(source.unit_number, record.first_slot) : nullptr;
      uint8_t kind = record.tag == DPROF_RECORD_FREE ? FREE : ALLOCATION;
      if (word + (kind == FREE ? 1 : 2) > shape.words) return false;
      plan->steps.push_back({site, 0, word, word + 1, 0, 1, kind});
      continue;
    }
    for (uint32_t i = record.first_slot; i < record.first_slot + record.slot_count; i++) {
      dprof_slot slot = unit.slot(i);
      if (slot.kind == DPROF_SLOT_SITE) continue;
      Step step = {sites_.site(source.unit_number, i), slot.size_bytes, word, 0, slot.delta, slot.lanes, slot.kind};
      if (slot.base) {
        auto base = address_words.find(slot.base - 1);
        if (base == address_words.end()) return false;
        step.word = base->second;
      } else {
        step.delta = 0;
        address_words[i] = word++;
      }
      step.further = word;
      if (slot.kind == DPROF_SLOT_GATHER || slot.kind == DPROF_SLOT_SCATTER)
        word += slot.lanes ? slot.lanes - 1u : 0;
      else if (slot.kind == DPROF_SLOT_MASKED_LOAD || slot.kind == DPROF_SLOT_MASKED_STORE)
        word++;
      else if ((slot.kind == DPROF_SLOT_COPY_STORE || slot.kind == DPROF_SLOT_FILL || slot.kind == DPROF_SLOT_SCAN) &&
               slot.size_bytes == DPROF_SIZE_DYNAMIC)
        word++;
      if (word > shape.words) return false;
      if (slot.kind == DPROF_SLOT_VALUE || slot.kind == DPROF_SLOT_ARGUMENT)
        continue; // a sink's records have no place for them
      plan->steps.push_back(step);
    }
  }
  return true;
}

const PathPlans::Plan *PathPlans::find(uint64_t header) {
  if (replaced_ != table_.replaced().size()) { // another module is where one was
    plans_.clear();
    replaced_ = table_.replaced().size();
  }
  auto found = plans_.find(header);
  if (found != plans_.end()) return &found->second;
  PathSource source;
  Plan plan;
  if (!table_.find_source(header, &source) || !build(source, &plan)) return nullptr;
  return &plans_.emplace(header, std::move(plan)).first->second;
}

const char *PathPlans::text(std::string mark) {
  if (texts_.size() >= most_texts && !texts_.contains(mark)) return "";
  return texts_.insert(std::move(mark)).first->c_str();
}

void RecordDecoder::put(const dprof_sink_site *site, uint16_t kind, uint64_t address, uint64_t size, uint64_t stamp,
                        uint16_t detail) {
  pending_.push_back({site, address, size, stamp, thread_, kind, detail});
}

void RecordDecoder::count_lost(uint64_t paths) {
  lost_ += paths;
  put(nullptr, DPROF_SINK_LOST, 0, paths);
}

void RecordDecoder::put_event(const uint64_t *event) {
  const uint64_t *w = event + 1;
  uint16_t detail = event[0] >> 16 & 15;
  switch (event[0] & 0xff) {
    case DPROF_EVENT_ALLOCATE: return put(nullptr, DPROF_SINK_ALLOCATE, w[1], w[2], w[0], detail);
    case DPROF_EVENT_FREE: return put(nullptr, DPROF_SINK_FREE, w[1], w[2], w[0], detail);
    case DPROF_EVENT_RELEASE: return put(nullptr, DPROF_SINK_RELEASE, w[1], 0, w[0], detail);
    case DPROF_EVENT_ACQUIRE: return put(nullptr, DPROF_SINK_ACQUIRE, w[1], 0, w[0], detail);
    case DPROF_EVENT_THREAD_START: return put(nullptr, DPROF_SINK_THREAD_START, w[2], w[3] - w[2], w[0]);
    case DPROF_EVENT_THREAD_END: return put(nullptr, DPROF_SINK_THREAD_END, w[1], w[2] - w[1], w[0]);
    case DPROF_EVENT_BLOCKED: return put(nullptr, DPROF_SINK_BLOCKED, 0, 0, w[0]);
    case DPROF_EVENT_UNSEEN:
      if (detail == DPROF_UNSEEN_KERNEL_RANGE) return put(nullptr, DPROF_SINK_KERNEL_STORE, w[1], w[0]);
      return put(nullptr, DPROF_SINK_UNSEEN, 0, w[0], 0, detail);
    case DPROF_EVENT_SIGNAL: return put(nullptr, DPROF_SINK_SIGNAL, 0, w[0], 0, detail);
    case DPROF_EVENT_LOST: return count_lost(w[0]);
    case DPROF_EVENT_MARK: return put_mark(event, detail);
    default: return; // TIME and THREAD_LOCAL say nothing that a sink is told
  }
}

void RecordDecoder::put_mark(const uint64_t *event, uint16_t kind) {
  const uint64_t *w = event + 1;
  uint64_t bytes =
      std::min({w[2], (uint64_t)DPROF_MARK_TEXT_BYTES, (EventWriter::words_of(event[0]) - 3) * sizeof(uint64_t)});
  put(nullptr, DPROF_SINK_MARK, (uintptr_t)plans_.text(std::string((const char *)(w + 3), bytes)), w[1], w[0], kind);
}

void RecordDecoder::put_path(const PathPlans::Plan &plan, const uint64_t *words) {
  segments_ += plan.segments;
  uint64_t stamp = plan.stamp_event ? words[plan.words - 1] : 0;
  for (const PathPlans::Step &step : plan.steps)
    put_step(step, words[step.word] + (uint64_t)(int64_t)step.delta, stamp, words);
}

// False: not all of it yet.
bool RecordDecoder::put_loop(const PathPlans::Plan &plan, const uint64_t *words) {
  for (; iterations_ <= words[0]; iterations_++) {
    if (pending_.size() >= most_pending) return false;
    size_t steps = iterations_ < words[0] ? plan.steps.size() : plan.tail_steps;
    for (size_t i = 0; i < steps; i++) {
      const PathPlans::Step &step = plan.steps[i];
      uint64_t stride = step.stride_word ? words[step.stride_word] : (uint64_t)(int64_t)step.stride;
      put_step(step, words[step.word] + iterations_ * stride + (uint64_t)(int64_t)step.delta, 0, words);
    }
  }
  iterations_ = 0;
  segments_ += plan.segments;
  return true;
}

void RecordDecoder::put_step(const PathPlans::Step &step, uint64_t address, uint64_t stamp, const uint64_t *words) {
  switch (step.kind) {
    case DPROF_SLOT_LOAD: put(step.site, DPROF_SINK_LOAD, address, step.size); break;
    case DPROF_SLOT_STORE: put(step.site, DPROF_SINK_STORE, address, step.size); break;
    case DPROF_SLOT_ATOMIC_LOAD: put(step.site, DPROF_SINK_LOAD, address, step.size, stamp, DPROF_SYNC_ATOMIC); break;
    case DPROF_SLOT_ATOMIC_STORE: put(step.site, DPROF_SINK_STORE, address, step.size, stamp, DPROF_SYNC_ATOMIC); break;
    case DPROF_SLOT_ATOMIC_UPDATE:
    case DPROF_SLOT_ATOMIC_RESULT:
      put(step.site, DPROF_SINK_ATOMIC, address, step.size, stamp, DPROF_SYNC_ATOMIC);
      break;
    case DPROF_SLOT_COPY_LOAD: put(step.site, DPROF_SINK_LOAD, address, 0); break; // its length is the store's
    case DPROF_SLOT_COPY_STORE: {
      uint64_t size = step.size == DPROF_SIZE_DYNAMIC ? words[step.further] : step.size;
      if (!pending_.empty()) pending_.back().size = size;
      put(step.site, DPROF_SINK_STORE, address, size);
      break;
    }
    case DPROF_SLOT_SCAN:
      put(step.site, DPROF_SINK_LOAD, address, step.size == DPROF_SIZE_DYNAMIC ? words[step.further] : step.size);
      break;
    case DPROF_SLOT_FILL:
      put(step.site, DPROF_SINK_STORE, address, step.size == DPROF_SIZE_DYNAMIC ? words[step.further] : step.size);
      break;
    case DPROF_SLOT_MASKED_LOAD:
    case DPROF_SLOT_MASKED_STORE:
      for (uint32_t lane = 0; lane < step.lanes && lane < 64; lane++)
        if (words[step.further] >> lane & 1)
          put(step.site, step.kind == DPROF_SLOT_MASKED_LOAD ? DPROF_SINK_LOAD : DPROF_SINK_STORE,
              address + lane * step.size, step.size);
      break;
    case DPROF_SLOT_GATHER:
    case DPROF_SLOT_SCATTER:
      for (uint32_t lane = 0; lane < step.lanes; lane++)
        if (words[step.word + lane])
          put(step.site, step.kind == DPROF_SLOT_GATHER ? DPROF_SINK_LOAD : DPROF_SINK_STORE, words[step.word + lane],
              step.size);
      break;
    case DPROF_SLOT_OBJECT: put(step.site, DPROF_SINK_OBJECT, address, step.size); break;
    case PathPlans::ALLOCATION: put(step.site, DPROF_SINK_ALLOCATE, address, words[step.further]); break;
    case PathPlans::FREE: put(step.site, DPROF_SINK_FREE, address, 0); break;
  }
}

Encoded RecordDecoder::decode(const uint64_t *words, uint64_t count, uint64_t *used) {
  const uint64_t *p = words, *end = words + count;
  Encoded result = Encoded::all;
  while (p < end && *p) {
    uint64_t left = (uint64_t)(end - p) - 1;
    if (*p & DPROF_EVENT) {
      uint64_t n = EventWriter::words_of(*p);
      if (n == 0 || n > left) {
        result = Encoded::damaged;
        break;
      }
      put_event(p);
      p += 1 + n;
      continue;
    }
    const PathPlans::Plan *plan = plans_.find(*p);
    if (!plan || plan->words > left) {
      result = plan ? Encoded::damaged : Encoded::unknown_path;
      break;
    }
    if (!plan->is_loop) {
      put_path(*plan, p + 1);
    } else if (!put_loop(*plan, p + 1)) {
      result = Encoded::full;
      break;
    }
    p += 1 + plan->words;
  }
  *used = (uint64_t)(p - words);
  return result;
}

} // namespace dprof
