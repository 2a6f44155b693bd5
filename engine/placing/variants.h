// Stage: placing. Records whose accesses have other sizes, or become several, and such as excerpts need;
// src/what-if/variant-records.ts makes the catalog's rows of them.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "trace/input.h"

namespace dprof {

/// A slot of the catalog, with another size and that many bytes further on.
struct SlotVariant {
  static constexpr uint32_t POINTER = 0xffffffff; // of `further`: it loads the pointer to the cold part of its type
  uint32_t slot, sizeBytes, further;
};
/// A record without accesses, by which a thread enters a function, leaves it, or makes a call.
struct FrameMove {
  uint32_t function = NO_INDEX, flags = 0, call = 0; // NO_INDEX: none
  auto operator<=>(const FrameMove &) const = default;
};
/// A record of very many accesses is several, one behind the other.
enum class RecordPart : uint32_t { WHOLE, FIRST, MIDDLE, LAST };
struct RecordVariant {
  uint32_t record;
  std::vector<uint32_t> slots; // of the catalog, or behind its own: slot variants
  RecordPart part;
  FrameMove move; // it does nothing but this
};

class Variants {
public:
  explicit Variants(const Input &input)
      : slotCount_(static_cast<uint32_t>(input.slots.kind.count)),
        recordCount_(static_cast<uint32_t>(input.records.tag.count)), sizes_(input.slots.sizeBytes) {}

  /// The slot, but of this size; `further`: where in the slot's bytes it begins.
  uint32_t slot(uint32_t slot, uint64_t sizeBytes, uint64_t further) {
    if (further == 0 && sizes_[slot] == sizeBytes) return slot;
    const SlotVariant variant{slot, static_cast<uint32_t>(sizeBytes), static_cast<uint32_t>(further)};
    const auto [at, isNew] = slotNumbers_.try_emplace({variant.slot, variant.sizeBytes, variant.further},
                                                      slotCount_ + static_cast<uint32_t>(slots.size()));
    if (isNew) slots.push_back(variant);
    return at->second;
  }
  /// The record, or a part of it, but with these slots. NO_INDEX: there are too many.
  uint32_t record(uint32_t record, const std::vector<uint32_t> &own, RecordPart part = RecordPart::WHOLE) {
    if (own.size() > MOST_OF_RECORD) return NO_INDEX;
    key_.assign({record, static_cast<uint32_t>(part)});
    key_.insert(key_.end(), own.begin(), own.end());
    const auto at = recordNumbers_.find(key_);
    if (at != recordNumbers_.end()) return at->second;
    if (recordSlots_ + own.size() > MOST_OF_RECORDS) return NO_INDEX;
    recordSlots_ += own.size();
    const uint32_t number = recordCount_ + static_cast<uint32_t>(records.size());
    recordNumbers_.emplace(key_, number);
    records.push_back({record, own, part, {}});
    return number;
  }
  /// A record that does nothing but this.
  uint32_t move(const FrameMove &move) {
    const auto [at, isNew] = moveNumbers_.try_emplace(move, recordCount_ + static_cast<uint32_t>(records.size()));
    if (isNew) records.push_back({0, {}, RecordPart::WHOLE, move});
    return at->second;
  }

  std::vector<SlotVariant> slots;
  std::vector<RecordVariant> records;

private:
  // A record's slots are counted in 16 bits; all of them are rows of the catalog.
  static constexpr size_t MOST_OF_RECORD = 0xffff, MOST_OF_RECORDS = size_t{1} << 20;

  size_t recordSlots_ = 0;
  const uint32_t slotCount_, recordCount_;
  const Column<uint32_t> sizes_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> slotNumbers_;
  std::map<std::vector<uint32_t>, uint32_t> recordNumbers_;
  std::map<FrameMove, uint32_t> moveNumbers_;
  std::vector<uint32_t> key_;
};

} // namespace dprof
