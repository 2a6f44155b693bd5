// Stage: trace -> placing. One access after the other.
#include "placing/said_types.h"

namespace dprof {

SaidTypes::SaidTypes(const SurveyFacts &facts) : facts_(facts) {
  for (size_t row = 0; row < facts.kinWhole.count; row++)
    kin_.insert({facts.kinWhole[row], facts.kinPart[row], facts.kinAt[row]});
}

int32_t SaidTypes::settled(const SaidType &said) const {
  if (said.type <= 0 || said.begins == SaidType::SEVERAL) return said.type;
  return isElement(static_cast<uint32_t>(said.type), said.begins) ? said.type : SaidType::MIXED;
}

void SaidTypes::access(SaidType &said, uint32_t type, uint64_t element) const {
  if (said.type == SaidType::MIXED) return;
  if (static_cast<int64_t>(element) < 0) {
    said.type = SaidType::MIXED;
  } else if (said.type == 0) {
    said = {static_cast<int32_t>(type), element};
  } else if (said.type != static_cast<int32_t>(type)) {
    both(said, type, element);
  } else if (element != said.begins) {
    const bool isRow = isElement(type, element) && settled(said) != SaidType::MIXED;
    said = {isRow ? said.type : SaidType::MIXED, SaidType::SEVERAL};
  }
}

/// One of two types lies in the other, or the block is of neither.
void SaidTypes::both(SaidType &said, uint32_t type, uint64_t element) const {
  const auto before = static_cast<uint32_t>(said.type);
  const auto bytes = static_cast<uint64_t>(facts_.typeBytes[before]);
  const uint64_t inside = bytes ? element % bytes : element;
  if (!facts_.isUnion[before] && settled(said) != SaidType::MIXED && holds(before, type, inside)) return;
  if (facts_.isUnion[before] && isElement(type, element) && holds(before, type, inside)) {
    said = {static_cast<int32_t>(type), element};
    return;
  }
  const bool isAround = said.begins != SaidType::SEVERAL && said.begins >= element &&
                        holds(type, before, said.begins - element) && isElement(type, element);
  if (!isAround)
    said = {SaidType::MIXED, SaidType::SEVERAL};
  else if (!facts_.isUnion[type])
    said = {static_cast<int32_t>(type), element};
}

} // namespace dprof
