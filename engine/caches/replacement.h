// Stage: replay. Chooses the line that leaves a full set of a whole machine's cache. A policy is a class in policies/
// and its name in the list here. It names a way by its frame, set * ways + way, and a set by its first frame:
//
//   WORD                  the policy's name in machines: POLICIES of src/contract/machine.ts has the same words
//   refusal(ways)         why the policy cannot have so many ways; null: it can
//   touch(first, frame)   a line is referenced
//   fill(first, frame)    a line comes in
//   victim(first)         the frame whose line leaves the full set
#pragma once

#include <array>
#include <utility>
#include <variant>

#include "caches/policies/bit_plru.h"
#include "caches/policies/fifo.h"
#include "caches/policies/lru.h"
#include "caches/policies/random.h"
#include "caches/policies/srrip.h"
#include "caches/policies/tree_plru.h"

namespace dprof {

/// Plain machines have the first policy.
using AnyPolicy = std::variant<Lru, TreePlru, BitPlru, Srrip, Fifo, RandomReplacement>;

/// The facts about each policy that machines and refusals need, indexed by its place in the list.
struct PolicyFacts {
  const char *word;
  const char *(*refusal)(uint32_t ways);
  AnyPolicy (*make)(uint32_t sets, uint32_t ways, uint32_t seed);
};

template <size_t... Place> constexpr auto policyFacts(std::index_sequence<Place...>) {
  return std::array{PolicyFacts{std::variant_alternative_t<Place, AnyPolicy>::WORD,
                                std::variant_alternative_t<Place, AnyPolicy>::refusal,
                                [](uint32_t sets, uint32_t ways, uint32_t seed) {
                                  return AnyPolicy(std::in_place_index<Place>, sets, ways, seed);
                                }}...};
}
inline constexpr auto POLICIES = policyFacts(std::make_index_sequence<std::variant_size_v<AnyPolicy>>());

class Replacement {
public:
  Replacement(uint8_t policy, uint32_t sets, uint32_t ways, uint32_t seed)
      : policy_(POLICIES[policy].make(sets, ways, seed)) {}

  /// Calls `ask` with the policy. This costs one branch, however often `ask` uses the policy.
  template <typename Ask> [[gnu::always_inline]] decltype(auto) with(Ask ask) {
    if (policy_.valueless_by_exception()) __builtin_unreachable(); // there is always one
    return std::visit(ask, policy_);
  }

private:
  AnyPolicy policy_;
};

} // namespace dprof
