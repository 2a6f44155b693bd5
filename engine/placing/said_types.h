// Stage: trace -> placing. What accesses say of heap blocks whose allocation says no type; src/what-if/said-types.ts is
// the same.
#pragma once

#include <unordered_set>

#include "trace/input.h"

namespace dprof {

/// Facts of the catalog that the survey needs, and a replay does not.
struct SurveyFacts {
  Column<uint32_t> elementOffset; // by slot: DPROF_OFFSET_UNKNOWN also where the slot accesses an array's element
  Column<double> typeBytes;       // by type
  Column<uint8_t> isUnion;        // by type
  Column<uint32_t> kinWhole, kinPart, kinAt; // src/what-if/type-kin.ts
};

struct SaidType {
  /// Accesses name several types, or put the elements elsewhere.
  static constexpr int32_t MIXED = -1;
  static constexpr uint64_t SEVERAL = ~uint64_t{0};
  int32_t type = 0;    // or MIXED; 0: no access names a struct
  uint64_t begins = 0; // where the only element that was accessed begins, or SEVERAL
};

class SaidTypes {
public:
  explicit SaidTypes(const SurveyFacts &facts);
  /// `element`: from where the block begins to where the element of the type does.
  void access(SaidType &said, uint32_t type, uint64_t element) const;
  int32_t settled(const SaidType &said) const;

private:
  struct Kin {
    uint32_t whole, part;
    uint64_t at;
    bool operator==(const Kin &) const = default;
  };
  struct Hash {
    size_t operator()(const Kin &kin) const {
      return ((uint64_t{kin.whole} << 32 | kin.part) ^ kin.at * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 >> 7;
    }
  };
  void both(SaidType &said, uint32_t type, uint64_t element) const;
  bool holds(uint32_t whole, uint32_t part, uint64_t at) const { return kin_.contains({whole, part, at}); }
  bool isElement(uint32_t type, uint64_t element) const {
    const auto bytes = static_cast<uint64_t>(facts_.typeBytes[type]);
    return element == 0 || (bytes && element % bytes == 0);
  }

  const SurveyFacts &facts_;
  std::unordered_set<Kin, Hash> kin_;
};

} // namespace dprof
