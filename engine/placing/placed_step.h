// Stage: placing. A record with the addresses that its accesses have anew. An access whose bytes do not stay together
// becomes several, in order; a copy of whole elements stays one copy. src/what-if/placed-step.ts is the same.
#pragma once

#include "placing/placement.h"
#include "placing/step_encoder.h"
#include "placing/variants.h"

namespace dprof {

/// An atomic or a vector whose bytes the change separates.
struct SeparatedError : std::runtime_error {
  explicit SeparatedError(uint32_t slot) : std::runtime_error("an access is torn apart"), slot(slot) {}
  uint32_t slot;
};

/// A copy of very many elements of a type that the change takes apart.
struct ScatteredError : std::runtime_error {
  explicit ScatteredError(uint32_t slot) : std::runtime_error("a copy becomes too many accesses"), slot(slot) {}
  uint32_t slot;
};

class PlacedStep {
public:
  PlacedStep(const Plans &plans, TrackedObjects &objects, const PlacedObjects &placed, Variants &variants)
      : placement(objects, placed), plans_(plans), variants_(variants) {}
  void take(const RecordPlan &plan, const uint64_t *words);
  /// Only the variables that it opens.
  void skim(const RecordPlan &plan, const uint64_t *words);
  void writeTo(StepEncoder &steps, const Event *stamp) const;

  Placement placement;
  uint32_t record = 0; // of the catalog, or a variant
  std::vector<uint64_t> words;
  /// If it has very many accesses: all but the last ones, which go before it.
  struct FirstPart {
    uint32_t record;
    std::vector<uint64_t> words;
  };
  std::vector<FirstPart> parts;
  uint64_t split = 0;        // accesses that became several
  uint64_t pointerLoads = 0; // of pointers to cold parts

private:
  // A record with more slots is several; a copy or fill that becomes more pieces is refused.
  static constexpr size_t MOST_SLOTS = 16, MOST_PIECES = size_t{1} << 20;

  void begin(const RecordPlan &plan);
  uint32_t variantOf(RecordPart part) const;
  void makeRoom();
  void site(const RecordPlan &plan, const uint64_t *from);
  void object(uint32_t slot, uint64_t address, uint64_t bytes);
  void accesses(const RecordPlan &plan, const uint64_t *from);
  void access(uint32_t slot, uint64_t address, uint64_t bytes);
  uint64_t together(uint32_t slot, uint64_t address, uint64_t bytes);
  void atomic(uint32_t slot, uint64_t address, uint64_t bytes);
  void follow(uint32_t slot, uint64_t pointer);
  void block(uint32_t slot, uint64_t address, uint64_t bytes, bool dynamic);
  void copy(uint32_t slot, uint64_t source, uint64_t destination, uint64_t bytes, bool dynamic);
  void lanes(uint32_t slot, const SlotPlan &plan, const uint64_t *from);
  void masked(uint32_t slot, const SlotPlan &plan, const uint64_t *from);
  void countPieces(size_t count, uint32_t slot);
  void variant(uint32_t slot, uint64_t sizeBytes, uint64_t further);
  void sized(uint32_t slot, uint64_t sizeBytes, bool dynamic);
  void sideBySide();

  const Plans &plans_;
  Variants &variants_;
  uint32_t own_ = 0, several_ = 0; // the record as it was, and a slot of it that became several
  std::vector<uint32_t> slots_;
  std::vector<uint64_t> lanes_;
  bool isVariant_ = false;
  std::vector<PlacedPiece> from_, to_, cutFrom_, cutTo_;
};

} // namespace dprof
