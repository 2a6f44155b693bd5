// Stage: command line -> replay. AMD's servers with Zen 2, 3 and 4, of 64 cores each.
//
// Caches with their latencies, TLBs and prefetchers: the chapters "Load/Store and Data Cache", "L2 Cache", "L3 Cache"
// and "Address Translation" of the Software Optimization Guide for AMD Family 17h Models 30h and Greater Processors
// (publication 56305, Zen 2), for AMD Family 19h Processors (56665, Zen 3) and for the AMD Zen4 Microarchitecture
// (57647). The L2 holds all of its L1; the L3 is a victim cache, filled by what L2s evict: exclusive (the guides say
// "mostly": it keeps what several cores read). One L3 for each core complex. Coherence: MOESI (AMD64 Architecture
// Programmer's Manual, volume 2, "Memory Coherency and Protocol").
//
// AMD publishes no latency behind the L3, none of the second TLB and none of a walk. Assumed: 100 ns for memory (110 ns
// with DDR5) and for a line from another core complex, 200 ns for both across sockets, at the base clock (2.25, 2.45,
// 3.1 GHz); 7 and 30 cycles. AnandTech measured 113 to 122 ns for random reads on a Zen 2, TLB misses included. Within
// a core complex the true latency is nearer to the L3's.
//
// Replacement is not published: LRU. Prefetchers: L1 stream as next-line and L1 stride as stride; L2 stream as
// next-line and up/down as adjacent-line. The L1 region prefetcher has no counterpart.

import type { CacheLevel, Tlb } from '../contract/machine.js';
import type { MachineDescription } from './machine-description.js';

interface AmdNumbers {
  readonly name: string;
  readonly coresPerComplex: number;
  readonly gigahertz: number;
  readonly memoryNs: number;
  readonly l2: Pick<CacheLevel, 'sizeBytes' | 'ways' | 'latencyCycles'>;
  readonly l3: Pick<CacheLevel, 'sizeBytes' | 'ways' | 'latencyCycles'>;
  readonly tlb: Required<Pick<Tlb, 'l1' | 'l2'>>;
}

function describeAmd({ name, coresPerComplex, gigahertz, memoryNs, l2, l3, tlb }: AmdNumbers): MachineDescription {
  return {
    name,
    lineBytes: 64,
    l1: { sizeBytes: 32 << 10, ways: 8, latencyCycles: 4, prefetchers: ['next-line', 'stride'] },
    l2: { ...l2, inclusion: 'inclusive', prefetchers: ['next-line', 'adjacent-line'] },
    llc: { ...l3, inclusion: 'exclusive' },
    coresPerLlc: coresPerComplex,
    coresPerSocket: 64,
    memoryLatencyCycles: Math.round(memoryNs * gigahertz),
    cacheToCacheLatencyCycles: Math.round(100 * gigahertz),
    remoteCacheLatencyCycles: Math.round(200 * gigahertz),
    remoteMemoryLatencyCycles: Math.round(200 * gigahertz),
    protocol: 'moesi',
    tlb: { ...tlb, l2LatencyCycles: 7, walkLatencyCycles: 30 },
  };
}

export const ZEN2 = describeAmd({
  name: 'zen2',
  coresPerComplex: 4,
  gigahertz: 2.25,
  memoryNs: 100,
  l2: { sizeBytes: 512 << 10, ways: 8, latencyCycles: 12 },
  l3: { sizeBytes: 16 << 20, ways: 16, latencyCycles: 39 },
  tlb: { l1: { entries: 64, ways: 64 }, l2: { entries: 2048, ways: 16 } },
});

export const ZEN3 = describeAmd({
  name: 'zen3',
  coresPerComplex: 8,
  gigahertz: 2.45,
  memoryNs: 100,
  l2: { sizeBytes: 512 << 10, ways: 8, latencyCycles: 12 },
  l3: { sizeBytes: 32 << 20, ways: 16, latencyCycles: 46 },
  tlb: { l1: { entries: 64, ways: 64 }, l2: { entries: 2048, ways: 16 } },
});

export const ZEN4 = describeAmd({
  name: 'zen4',
  coresPerComplex: 8,
  gigahertz: 3.1,
  memoryNs: 110,
  l2: { sizeBytes: 1 << 20, ways: 8, latencyCycles: 14 },
  l3: { sizeBytes: 32 << 20, ways: 16, latencyCycles: 50 },
  tlb: { l1: { entries: 72, ways: 72 }, l2: { entries: 3072, ways: 24 } },
});
