// Stage: replay. What a reference met, in one word: small enough to count per (slot, outcome) while its row is not known yet.
#pragma once

#include <array>
#include <cstdint>

namespace dprof {

enum MissClass : uint32_t { COMPULSORY, TRUE_SHARING, FALSE_SHARING, CONFLICT, CAPACITY, HIT = 7 };
enum DprofRule : uint32_t { RULE_INVALIDATION, RULE_CONFLICT, RULE_CAPACITY };
enum Server : uint32_t { SERVED_L1, SERVED_L2, SERVED_LLC, SERVED_CACHE, SERVED_MEMORY, SERVED_REMOTE_CACHE, SERVED_REMOTE_MEMORY, NO_SERVER = 7 };
constexpr unsigned SERVERS = 7;
using Latencies = std::array<uint32_t, SERVERS>;

namespace outcome {
constexpr uint32_t STORE = 1;
constexpr unsigned SERVER = 1, CLASS = 4, SHARED = 13, RULE = 16, LATENCY = 24; // CLASS + 3 * level, SHARED + level, RULE + 2 * level
constexpr uint32_t TRANSFER = 1u << 22, ORDER_BOUND = 1u << 23;
constexpr uint32_t MISSED = 1u << 27; // some reference of the access missed L1: its latency counts as a miss's
constexpr uint32_t PLAIN = 7u << 4 | 7u << 7 | 7u << 10; // hits L1, costs its latency; a level not reached counts as hit here

constexpr uint32_t field(uint32_t bits, unsigned at) { return bits >> at & 7; }
constexpr uint32_t server(uint32_t bits) { return field(bits, SERVER); }
constexpr uint32_t missClass(uint32_t bits, unsigned level) { return field(bits, CLASS + 3 * level); }
constexpr uint32_t rule(uint32_t bits, unsigned level) { return bits >> (RULE + 2 * level) & 3; }
constexpr bool shared(uint32_t bits, unsigned level) { return bits >> (SHARED + level) & 1; }
/// The server whose latency the access costs; NO_SERVER for the second and later references of a split access.
constexpr uint32_t latencyServer(uint32_t bits) { return field(bits, LATENCY); }
constexpr uint32_t withLatency(uint32_t bits, uint32_t server, bool missed) {
  return (bits & ~(7u << LATENCY | MISSED)) | server << LATENCY | (missed ? MISSED : 0);
}
} // namespace outcome

} // namespace dprof
