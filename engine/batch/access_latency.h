// Stage: replay. An access over several lines costs as much as the slowest of its references; the first one says so.
#pragma once

#include "batch/outcome.h"

namespace dprof {

struct AccessLatency {
  uint32_t slowest = SERVED_L1, tlb = 0;
  bool missed = false, any = false;

  /// `bits`: of the access's next reference.
  void meet(const Latencies &latencies, uint32_t bits) {
    const uint32_t server = outcome::server(bits), ofTlb = outcome::tlb(bits);
    auto cycles = [&](uint32_t of, uint32_t levels) { return uint64_t{latencies[of]} + latencies[SERVERS + levels]; };
    missed |= server != SERVED_L1;
    if (any && cycles(server, ofTlb) <= cycles(slowest, tlb)) return;
    any = true;
    slowest = server;
    tlb = ofTlb;
  }
  /// The bits that are counted of the access's reference with that number.
  uint32_t bitsOf(uint32_t piece, uint32_t bits) const {
    return piece ? outcome::withLatency(bits, NO_SERVER, false) : outcome::withLatency(bits, slowest, missed, tlb);
  }
};

} // namespace dprof
