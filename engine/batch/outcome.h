// Stage: replay. The outcome of a reference in one word: small enough to count per (slot, outcome) while its row is not
// known yet.
#pragma once

#include <array>
#include <cstdint>

namespace dprof {

enum MissClass : uint32_t { COMPULSORY, TRUE_SHARING, FALSE_SHARING, CONFLICT, CAPACITY, HIT = 7 };
enum DprofRule : uint32_t { RULE_INVALIDATION, RULE_CONFLICT, RULE_CAPACITY };
enum Server : uint32_t {
  SERVED_L1,
  SERVED_L2,
  SERVED_LLC,
  SERVED_CACHE,
  SERVED_MEMORY,
  SERVED_REMOTE_CACHE,
  SERVED_REMOTE_MEMORY,
  NO_SERVER = 7
};
constexpr unsigned SERVERS = 7;
/// Latencies by server; behind them (at SERVERS + n) the latency that a TLB miss of n levels adds.
using Latencies = std::array<uint32_t, SERVERS + 3>;

namespace outcome {
constexpr uint32_t STORE = 1;
constexpr unsigned SERVER = 1, CLASS = 4, SHARED = 13, RULE = 16,
                   LATENCY = 24; // CLASS + 3 * level, SHARED + level, RULE + 2 * level
constexpr uint32_t TRANSFER = 1u << 22, ORDER_BOUND = 1u << 23;
constexpr uint32_t MISSED = 1u << 27; // some reference of the access missed L1: its latency counts as a miss's
constexpr unsigned TLB = 28,
                   LATENCY_TLB = 30; // levels that missed: of the reference, of the one whose latency the access costs
constexpr uint32_t PLAIN =
    7u << 4 | 7u << 7 | 7u << 10; // hits L1, costs its latency; a level not reached counts as hit here

constexpr uint32_t field(uint32_t bits, unsigned at) { return bits >> at & 7; }
constexpr uint32_t server(uint32_t bits) { return field(bits, SERVER); }
constexpr uint32_t missClass(uint32_t bits, unsigned level) { return field(bits, CLASS + 3 * level); }
constexpr uint32_t rule(uint32_t bits, unsigned level) { return bits >> (RULE + 2 * level) & 3; }
constexpr bool shared(uint32_t bits, unsigned level) { return bits >> (SHARED + level) & 1; }
/// The server whose latency the access costs; NO_SERVER for the second and later references of a split access.
constexpr uint32_t latencyServer(uint32_t bits) { return field(bits, LATENCY); }
constexpr uint32_t tlb(uint32_t bits) { return bits >> TLB & 3; }
constexpr uint32_t latencyTlb(uint32_t bits) { return bits >> LATENCY_TLB & 3; }
constexpr uint32_t withLatency(uint32_t bits, uint32_t server, bool missed, uint32_t tlb = 0) {
  return (bits & ~(7u << LATENCY | MISSED | 3u << LATENCY_TLB)) | server << LATENCY | (missed ? MISSED : 0) |
         tlb << LATENCY_TLB;
}

/// A word that is no outcome of a reference: the work of prefetchers at one reference, counted beside it. Per level L1,
/// L2: how many prefetches were issued, and whether the reference was the first to a prefetched line.
constexpr uint32_t PREFETCHES = NO_SERVER << SERVER;
constexpr unsigned PREFETCH_ISSUED = 4;     // + 4 * level
constexpr uint32_t PREFETCH_HIT = 1u << 12; // << level
constexpr bool isPrefetches(uint32_t bits) { return server(bits) == NO_SERVER; }
constexpr uint32_t prefetchIssued(uint32_t bits, unsigned level) { return bits >> (PREFETCH_ISSUED + 4 * level) & 15; }
constexpr bool prefetchHit(uint32_t bits, unsigned level) { return bits & PREFETCH_HIT << level; }
} // namespace outcome

} // namespace dprof
