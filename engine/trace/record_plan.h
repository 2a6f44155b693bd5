// Stage: trace -> replay. The facts about a record that the engine needs, in one place: checked once, then read for
// every step.
#pragma once

#include <algorithm>
#include <bit>

#include "base/trace_error.h"
#include "dprof/unit_format.h"
#include "trace/input.h"

namespace dprof {

struct RecordPlan {
  uint32_t codedWords; // derived addresses included, without the stamp
  uint32_t firstSlot, instructions, function, call;
  uint16_t slotCount;
  uint8_t tag, flags;
  bool stamped, plain; // plain: only loads, stores and atomics, or nothing; opens no frame, closes none
  uint32_t segments() const { return tag == DPROF_RECORD_SEGMENT; }
};

constexpr uint32_t MOST_SLOTS = 1u << 26; // a reference's slot has as many bits

/// Where a record says what its load, store or atomic does: in a VALUE slot behind its own, or before it.
enum class ValueAt : uint8_t { NOWHERE, BEHIND, BEFORE };

struct SlotPlan {
  uint8_t kind;
  bool isStruct, hasPath;
  ValueAt value;
  uint16_t lanes;
  uint32_t size, type, variable;
};

/// The properties of a load, store or atomic, or of a block's pieces, that every reference needs.
struct SlotShape {
  uint32_t slot : 26, size : 5, store : 1; // as a Reference has them, bit by bit
  uint32_t reach;                          // size - 1, or ODD_REACH
};
/// A bit for each byte of an access of up to 64.
constexpr uint64_t bytesOf(uint32_t reach) { return ~uint64_t{0} >> ((63 - reach) & 63); }
/// Of the tag of a line in an L1, beside the line's number: it was not stored to yet.
constexpr uint64_t NO_STORE = uint64_t{1} << 63;
/// The bits of a tag that must be those of the line that is referenced.
constexpr uint64_t tagBits(bool store) { return store ? ~uint64_t{0} : ~NO_STORE; }
constexpr uint32_t ODD_REACH = 0x7fff; // longer than any line: an access of no bytes, or of very many
/// A `size` holds the power of two if the access has 1, 2, 4 ... 64 bytes. Otherwise it holds this: the slot gives the
/// size, or `blockBytes` for a block's piece.
constexpr uint32_t SIZE_BY_SLOT = 7;

struct Plans {
  std::vector<RecordPlan> records;
  std::vector<SlotPlan> slots;
  std::vector<SlotShape> shapes; // by slot
  Column<uint32_t> slotBase;
  Column<int32_t> slotDelta;
  Regions regions;
  Nodes nodes;
  Edges edges;
  uint32_t kernelSlot = NO_INDEX; // as in Input
  /// References of the slot have any size; batches say it (ReferenceBatch::blockBytes).
  bool hasBlockBytes(uint32_t slot) const;
  bool timed = false;                 // every reference says its time
  bool values = false;                // batches say what accesses load and store
  bool callers = false;               // several threads' streams say who called a reference's function
  std::vector<std::string> keptTexts; // of marks that are borders
};

inline uint64_t wordsOfSlot(const SlotPlan &slot) {
  switch (slot.kind) {
    case DPROF_SLOT_SITE: return 0;
    case DPROF_SLOT_COPY_STORE:
    case DPROF_SLOT_FILL:
    case DPROF_SLOT_SCAN: return slot.size == DPROF_SIZE_DYNAMIC ? 2 : 1;
    case DPROF_SLOT_MASKED_LOAD:
    case DPROF_SLOT_MASKED_STORE: return 2;
    case DPROF_SLOT_GATHER:
    case DPROF_SLOT_SCATTER: return slot.lanes;
    default: return 1;
  }
}

inline bool isKnownKind(uint8_t kind) { return kind <= DPROF_SLOT_ARGUMENT; }

inline bool isPlainKind(uint8_t kind) { return kind >= DPROF_SLOT_LOAD && kind <= DPROF_SLOT_ATOMIC_RESULT; }

/// Copies, fills and scans: laid out in pieces, one for each line.
inline bool isBlockKind(uint8_t kind) {
  return kind == DPROF_SLOT_COPY_LOAD || kind == DPROF_SLOT_COPY_STORE || kind == DPROF_SLOT_FILL ||
         kind == DPROF_SLOT_SCAN;
}

inline bool isStoreKind(uint8_t kind) {
  return kind == DPROF_SLOT_STORE || (kind >= DPROF_SLOT_ATOMIC_STORE && kind <= DPROF_SLOT_ATOMIC_RESULT) ||
         kind == DPROF_SLOT_COPY_STORE || kind == DPROF_SLOT_FILL || kind == DPROF_SLOT_MASKED_STORE ||
         kind == DPROF_SLOT_SCATTER;
}

inline bool isAtomicKind(uint8_t kind) { return kind >= DPROF_SLOT_ATOMIC_LOAD && kind <= DPROF_SLOT_ATOMIC_RESULT; }

/// VALUE slot `at` of the record is that of an atomic behind it, else that of the load or store before it.
inline void sayValue(std::vector<SlotPlan> &slots, const RecordPlan &record, uint32_t at) {
  SlotPlan *const of = &slots[record.firstSlot];
  if (at + 1u < record.slotCount && isAtomicKind(of[at + 1].kind))
    of[at + 1].value = ValueAt::BEFORE;
  else if (at > 0 && (of[at - 1].kind == DPROF_SLOT_LOAD || of[at - 1].kind == DPROF_SLOT_STORE))
    of[at - 1].value = ValueAt::BEHIND;
}

/// Checks every index that following a path uses unchecked.
inline void checkRegions(const Input &input) {
  const auto &[pathCount, firstNode, nodeCount, back, isLoop] = input.regions;
  const auto &nodes = input.nodes;
  const auto &edges = input.edges;
  for (size_t i = 0; i < pathCount.count; i++) {
    if (pathCount[i] ? back[i] != 0 : back[i] > i || pathCount[i - back[i]] == 0)
      throw InputError("region entry " + std::to_string(i) + " is behind no region");
    if (uint64_t{firstNode[i]} + nodeCount[i] > nodes.ends.count || (pathCount[i] && nodeCount[i] == 0))
      throw InputError("region " + std::to_string(i) + " names nodes that do not exist");
    if (isLoop[i] && (nodeCount[i] != 1 || pathCount[i] != nodes.recordCount[firstNode[i]]))
      throw InputError("region " + std::to_string(i) + " is a loop, but not one node with as many paths as records");
    for (uint32_t k = 0; k < nodeCount[i]; k++) {
      uint32_t node = firstNode[i] + k;
      if (uint64_t{nodes.firstRecord[node]} + nodes.recordCount[node] > input.records.tag.count ||
          uint64_t{nodes.firstEdge[node]} + nodes.edgeCount[node] > edges.node.count)
        throw InputError("node " + std::to_string(node) + " names records or edges that do not exist");
      for (uint32_t edge = nodes.firstEdge[node]; edge < nodes.firstEdge[node] + nodes.edgeCount[node]; edge++)
        if (edges.node[edge] <= k || edges.node[edge] >= nodeCount[i])
          throw InputError("edge " + std::to_string(edge) + " does not lead forward in its region");
    }
  }
}

inline bool Plans::hasBlockBytes(uint32_t slot) const { return isBlockKind(slots[slot].kind) || slot == kernelSlot; }

inline Plans makePlans(const Input &input) {
  Plans plans;
  plans.slotBase = input.slots.base;
  plans.slotDelta = input.slots.delta;
  plans.regions = input.regions;
  plans.nodes = input.nodes;
  plans.edges = input.edges;
  plans.kernelSlot = input.kernelSlot;
  plans.timed = input.flow.asked;
  for (const Border &border : input.window.border)
    if (border.kind == Border::MARK) plans.keptTexts.push_back(border.name);
  const auto &s = input.slots;
  if (s.kind.count > MOST_SLOTS)
    throw InputError("the program has more places that access memory than the native engine numbers");
  for (size_t i = 0; i < s.kind.count; i++) {
    SlotPlan slot{s.kind[i],         input.types.isStruct[s.type[i]] != 0,
                  s.hasPath[i] != 0, ValueAt::NOWHERE,
                  s.lanes[i],        s.sizeBytes[i],
                  s.type[i],         s.variable[i]};
    if (!isKnownKind(slot.kind))
      throw InputError("slot " + std::to_string(i) + " has unknown kind " + std::to_string(slot.kind));
    if (isPlainKind(slot.kind) && slot.size == DPROF_SIZE_DYNAMIC)
      throw InputError("slot " + std::to_string(i) + ", a load or store, has no size");
    plans.slots.push_back(slot);
    bool said = std::has_single_bit(slot.size) && slot.size <= 64 && !isBlockKind(slot.kind) && i != input.kernelSlot;
    plans.shapes.push_back({static_cast<uint32_t>(i),
                            said ? static_cast<uint32_t>(std::countr_zero(slot.size)) : SIZE_BY_SLOT,
                            isStoreKind(slot.kind), std::min<uint32_t>(slot.size - 1, ODD_REACH)});
  }
  const auto &r = input.records;
  for (size_t i = 0; i < r.tag.count; i++) {
    bool stamped = r.tag[i] == DPROF_RECORD_SEGMENT && (r.flags[i] & DPROF_RECORD_STAMPED);
    if (uint64_t{r.firstSlot[i]} + r.slotCount[i] > s.kind.count || r.words[i] < uint32_t{stamped})
      throw InputError("record " + std::to_string(i) + " names slots that do not exist");
    RecordPlan plan{};
    plan.codedWords = r.words[i] - stamped;
    plan.firstSlot = r.firstSlot[i];
    plan.slotCount = r.slotCount[i];
    plan.instructions = r.tag[i] == DPROF_RECORD_SEGMENT ? r.instructions[i] : 0;
    plan.function = r.function[i];
    plan.call = r.call[i];
    plan.tag = r.tag[i];
    plan.flags = r.flags[i];
    plan.stamped = stamped;
    constexpr uint8_t closes = DPROF_RECORD_EXIT | DPROF_RECORD_FRAME;
    const bool isEmpty = plan.tag == DPROF_RECORD_MARKER && plan.slotCount == 0;
    plan.plain = (plan.tag == DPROF_RECORD_SEGMENT || isEmpty) && (plan.flags & closes) != closes;
    uint64_t expected = plan.tag == DPROF_RECORD_ALLOCATION ? 2 : plan.tag == DPROF_RECORD_FREE ? 1 : 0;
    bool sites = plan.tag == DPROF_RECORD_ALLOCATION || plan.tag == DPROF_RECORD_FREE;
    for (uint32_t k = 0; k < plan.slotCount; k++) {
      const SlotPlan &slot = plans.slots[plan.firstSlot + k];
      expected += wordsOfSlot(slot);
      plan.plain = plan.plain && isPlainKind(slot.kind);
      if (slot.kind == DPROF_SLOT_VALUE) sayValue(plans.slots, plan, k);
      bool half = slot.kind == DPROF_SLOT_COPY_LOAD &&
                  (k + 1 == plan.slotCount || plans.slots[plan.firstSlot + k + 1].kind != DPROF_SLOT_COPY_STORE);
      if (half || sites != (slot.kind == DPROF_SLOT_SITE))
        throw InputError("record " + std::to_string(i) + " has slots that do not go together");
    }
    if (plan.tag < DPROF_RECORD_SEGMENT || plan.tag > DPROF_RECORD_MARKER || expected != plan.codedWords ||
        (sites && plan.slotCount != 1))
      throw InputError("record " + std::to_string(i) + " of kind " + std::to_string(plan.tag) + " needs " +
                       std::to_string(expected) + " words, not " + std::to_string(plan.codedWords));
    plans.records.push_back(plan);
  }
  checkRegions(input);
  return plans;
}

} // namespace dprof
