// Stage: recorder. Walks a region as unit_format.h says; checks everything.
#include "path_reader.h"

#include "dprof/abi.h"

namespace dprof {
namespace {

constexpr uint32_t most_words = 1 << 20; // or records, in one path
constexpr uint32_t most_slots = DPROF_SLOTS_PER_WORD * (1 + most_words);

uint8_t stamp_event_of(uint8_t slot_kind) {
  switch (slot_kind) {
    case DPROF_SLOT_ATOMIC_LOAD: return DPROF_EVENT_ACQUIRE;
    case DPROF_SLOT_ATOMIC_STORE:
    case DPROF_SLOT_ATOMIC_UPDATE: return DPROF_EVENT_RELEASE;
    case DPROF_SLOT_ATOMIC_RESULT: return DPROF_EVENT_BOTH;
    default: return 0;
  }
}

// Words of a slot behind its address.
uint32_t further_words(const dprof_slot &slot) {
  switch (slot.kind) {
    case DPROF_SLOT_ATOMIC_LOAD:
    case DPROF_SLOT_ATOMIC_STORE:
    case DPROF_SLOT_ATOMIC_UPDATE:
    case DPROF_SLOT_ATOMIC_RESULT:
    case DPROF_SLOT_MASKED_LOAD:
    case DPROF_SLOT_MASKED_STORE: return 1;
    case DPROF_SLOT_COPY_STORE:
    case DPROF_SLOT_FILL:
    case DPROF_SLOT_SCAN: return slot.size_bytes == DPROF_SIZE_DYNAMIC;
    case DPROF_SLOT_GATHER:
    case DPROF_SLOT_SCATTER: return slot.lanes ? slot.lanes - 1u : 0;
    default: return 0;
  }
}

class PathReader {
public:
  PathReader(const UnitView &unit, PathShape *shape) : unit_(unit), header_(unit.header()), shape_(shape) {}

  bool read(uint32_t entry, uint32_t number) {
    dprof_region region = unit_.region(entry);
    if (number >= region.path_count || !region.node_count || region.first_node > header_.nodes_count ||
        region.node_count > header_.nodes_count - region.first_node)
      return false;
    if (region.flags & DPROF_REGION_LOOP) return region.node_count == 1 && take_loop(unit_.node(region.first_node));
    for (uint32_t at = 0;;) {
      dprof_node node = unit_.node((uint64_t)region.first_node + at);
      if (!take_node(node)) return false;
      if (node.flags & DPROF_NODE_ENDS && number == 0) return records_ > 0;
      dprof_edge edge;
      if (!choose_edge(node, number, &edge) || edge.node <= at || edge.node >= region.node_count) return false;
      number -= edge.before;
      at = edge.node;
    }
  }

private:
  bool choose_edge(const dprof_node &node, uint32_t number, dprof_edge *chosen) const {
    if (node.first_edge > header_.edges_count || node.edge_count > header_.edges_count - node.first_edge) return false;
    uint32_t low = 0, high = node.edge_count; // the last one with `before` <= number is below `high`
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      *chosen = unit_.edge((uint64_t)node.first_edge + middle);
      if (chosen->before <= number)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0) return false;
    *chosen = unit_.edge((uint64_t)node.first_edge + low - 1);
    return true;
  }

  bool take_node(const dprof_node &node) {
    if (node.first_record > header_.records_count || node.record_count > header_.records_count - node.first_record)
      return false;
    if (node.record_count && node.first_word < shape_->words) return false;
    if (node.first_word > most_words) return false;
    if (node.first_word > shape_->words) shape_->words = node.first_word; // a gap
    for (uint32_t i = 0; i < node.record_count; i++) {
      shape_->records.push_back({node.first_record + i, shape_->words});
      if (shape_->stamp_event || ++records_ > most_words || !take_record(unit_.record((uint64_t)node.first_record + i)))
        return false;
    }
    return true;
  }

  // All its words are coded: the number of iterations, addresses and strides.
  bool take_loop(const dprof_node &node) {
    if (node.first_record > header_.records_count || node.record_count > header_.records_count - node.first_record ||
        !node.record_count)
      return false;
    shape_->words = 1;
    for (uint32_t i = 0; i < node.record_count; i++) {
      dprof_record record = unit_.record((uint64_t)node.first_record + i);
      if (record.first_slot > header_.slots_count || record.slot_count > header_.slots_count - record.first_slot)
        return false;
      for (uint32_t s = 0; s < record.slot_count; s++) {
        dprof_slot slot = unit_.slot((uint64_t)record.first_slot + s);
        shape_->words += slot.base ? 0 : slot.delta == DPROF_STRIDE_LOGGED ? 2 : 1;
      }
      if (shape_->words > most_words) return false;
    }
    shape_->segments = node.record_count;
    for (uint32_t i = 0; i < shape_->words; i++) shape_->coded.push_back(i);
    return true;
  }

  bool take_record(const dprof_record &record) {
    if (record.first_slot > header_.slots_count || record.slot_count > header_.slots_count - record.first_slot ||
        record.words > most_words)
      return false;
    if ((slots_ += record.slot_count) > most_slots) return false;
    bool stamped = record.flags & DPROF_RECORD_STAMPED;
    dprof_slot last = {};
    uint32_t derived = 0;
    for (uint32_t i = 0; i < record.slot_count; i++) {
      last = unit_.slot((uint64_t)record.first_slot + i);
      derived += last.base != 0;
    }
    if (derived + stamped > record.words) return false;
    uint32_t logged = record.words - derived, coded = logged - stamped;
    if (logged > most_words - shape_->words) return false;
    shape_->segments += record.tag == DPROF_RECORD_SEGMENT;
    begins_.push_back({record.first_slot, record.slot_count, (uint32_t)shape_->coded.size()});
    for (uint32_t i = 0; i < coded; i++) shape_->coded.push_back(shape_->words + i);
    shape_->words += logged;
    return !stamped || take_stamp(last, record.slot_count);
  }

  bool take_stamp(const dprof_slot &atomic, uint32_t slot_count) {
    shape_->stamp_event = slot_count ? stamp_event_of(atomic.kind) : 0;
    if (!shape_->stamp_event) return false;
    if (!atomic.base) {
      shape_->atomic_word = (uint32_t)shape_->coded.size() - 1;
      return !shape_->coded.empty();
    }
    shape_->atomic_delta = (uint64_t)(int64_t)atomic.delta;
    return find_address(atomic.base - 1, &shape_->atomic_word);
  }

  // Which coded word is the address of this slot.
  bool find_address(uint32_t slot, uint32_t *word) const {
    for (const Begin &begin : begins_) {
      if (slot - begin.first_slot >= begin.slot_count) continue;
      uint64_t at = begin.coded;
      for (uint32_t i = begin.first_slot; i < slot; i++) {
        dprof_slot before = unit_.slot(i);
        at += further_words(before) + (before.base == 0);
      }
      *word = (uint32_t)at;
      return unit_.slot(slot).base == 0 && at < shape_->coded.size();
    }
    return false;
  }

  struct Begin {
    uint32_t first_slot, slot_count, coded;
  };
  const UnitView &unit_;
  const dprof_unit_header &header_;
  PathShape *shape_;
  std::vector<Begin> begins_; // of the records so far
  uint32_t records_ = 0, slots_ = 0;
};

} // namespace

bool read_path(const UnitView &unit, uint32_t entry, uint32_t number, PathShape *shape) {
  return PathReader(unit, shape).read(entry, number);
}

} // namespace dprof
