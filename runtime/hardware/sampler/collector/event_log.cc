// Stage: sampler. A ring is read up to its first place that has no time yet; each place is cleared before it is given
// back.
#include "event_log.h"

#include "../../../lib/system.h"

namespace dprof {
namespace {

constexpr uint64_t bytes_mask = (1ull << DPROF_SAMPLER_BYTES_BITS) - 1, cpu_mask = (1ull << DPROF_SAMPLER_CPU_BITS) - 1;

HeapEvent unpack(const dprof_sampler_event &event, uint64_t time_ns, uint32_t order) {
  const uint64_t packed = event.bytes_cpu_kind;
  return {time_ns,
          event.address,
          packed & bytes_mask,
          (uint8_t)(packed >> (DPROF_SAMPLER_BYTES_BITS + DPROF_SAMPLER_CPU_BITS)),
          (uint16_t)(packed >> DPROF_SAMPLER_BYTES_BITS & cpu_mask),
          event.site_offset & DPROF_SAMPLER_NO_SITE,
          (uint16_t)(event.site_offset >> DPROF_SAMPLER_SITE_BITS),
          event.thread,
          order};
}

} // namespace

void EventLog::read(std::vector<HeapEvent> *to, bool is_over) {
  constexpr uint64_t wake_after = DPROF_SAMPLER_RING_EVENTS / 4;
  for (dprof_sampler_ring &ring : control_.rings) {
    const uint64_t taken = load(&ring.taken);
    uint64_t read = ring.read, told = read;
    if (taken == read) continue;
    auto give_back = [&] {
      store(&ring.read, read);
      fetch_add(&ring.room, 1u);
      futex_wake(&ring.room);
      told = read;
    };
    for (; read != taken; read++) {
      dprof_sampler_event &event = ring.events[read % DPROF_SAMPLER_RING_EVENTS];
      const uint64_t time_ns = load(&event.time_ns);
      if (time_ns == 0) {
        if (!is_over) break;
        torn_++;
        continue;
      }
      to->push_back(unpack(event, time_ns, order_++));
      store<uint64_t>(&event.time_ns, 0);
      if (read - told == wake_after) give_back();
    }
    if (read != told) give_back();
  }
}

} // namespace dprof
