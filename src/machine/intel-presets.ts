// Stage: command line -> replay. Intel's servers.
//
// Geometry, L1 and L2 latency, TLBs and prefetchers: Intel 64 and IA-32 Architectures Optimization Reference Manual
// (order number 248966), the sections on the Skylake Server, Ice Lake and Golden Cove microarchitectures (cache and TLB
// tables) and "Hardware Prefetching and Cache Management". What lies behind the L2 the manual gives as a range or not
// at all. Those cycles are Intel's own weights in its top-down metrics (perfmon;
// tools/perf/pmu-events/arch/x86/{skylakex,icelakex,sapphirerapids} in Linux), in ns over the level before, at the base
// clock:
//
//                       L3    other core  memory   remote memory  remote cache   clock     L1 TLB miss
//   skylake-sp        17       44          59.5     127             89.5         2.5 GHz   9 cycles
//   ice-lake-sp       19       44          43.5     108             97           2.3 GHz   7 cycles
//   sapphire-rapids   33       76.6        71       149            135.5         2.0 GHz   7 cycles
//
// L3 and another core's L2 are over the L2, the others over the L3. A page walk has no published latency: 30 cycles are
// assumed. All three: MESIF (the manual's and Intel's QPI and UPI papers' word); the L3 is non-inclusive; of the L2 the
// manual says nothing, so non-inclusive. Replacement is not published: LRU. Prefetchers: the DCU's streamer as
// next-line and its IP prefetcher as stride at the L1; the spatial prefetcher as adjacent-line and the streamer as
// next-line (the real one runs up to 20 lines ahead) at the L2.

import type { CacheLevel, Tlb } from '../contract/machine.js';
import type { MachineDescription } from './machine-description.js';

interface IntelNumbers {
  readonly name: string;
  readonly cores: number;
  readonly gigahertz: number;
  readonly l1: Pick<CacheLevel, 'sizeBytes' | 'ways' | 'latencyCycles'>;
  readonly l2: Pick<CacheLevel, 'sizeBytes' | 'ways' | 'latencyCycles'>;
  readonly l3: { readonly bytesPerCore: number; readonly ways: number };
  readonly overL2Ns: { readonly l3: number; readonly otherCore: number };
  readonly overL3Ns: { readonly memory: number; readonly remoteMemory: number; readonly remoteCache: number };
  readonly tlb: Omit<Tlb, 'walkLatencyCycles'>;
}

function describeIntel({
  name,
  cores,
  gigahertz,
  l1,
  l2,
  l3,
  overL2Ns,
  overL3Ns,
  tlb,
}: IntelNumbers): MachineDescription {
  const l3Cycles = l2.latencyCycles + overL2Ns.l3 * gigahertz;
  const behindL3 = (ns: number): number => Math.round(l3Cycles + ns * gigahertz);
  return {
    name,
    lineBytes: 64,
    l1: { ...l1, prefetchers: ['next-line', 'stride'] },
    l2: { ...l2, prefetchers: ['adjacent-line', 'next-line'] },
    llc: { sizeBytes: cores * l3.bytesPerCore, ways: l3.ways, latencyCycles: Math.round(l3Cycles) },
    coresPerLlc: cores,
    coresPerSocket: cores,
    memoryLatencyCycles: behindL3(overL3Ns.memory),
    cacheToCacheLatencyCycles: Math.round(l2.latencyCycles + overL2Ns.otherCore * gigahertz),
    remoteCacheLatencyCycles: behindL3(overL3Ns.remoteCache),
    remoteMemoryLatencyCycles: behindL3(overL3Ns.remoteMemory),
    protocol: 'mesif',
    tlb: { ...tlb, walkLatencyCycles: 30 },
  };
}

/** 28 cores with 1.375 MiB of L3 each: 57,344 sets. */
export const SKYLAKE_SP = describeIntel({
  name: 'skylake-sp',
  cores: 28,
  gigahertz: 2.5,
  l1: { sizeBytes: 32 << 10, ways: 8, latencyCycles: 4 },
  l2: { sizeBytes: 1 << 20, ways: 16, latencyCycles: 14 },
  l3: { bytesPerCore: 1408 << 10, ways: 11 },
  overL2Ns: { l3: 17, otherCore: 44 },
  overL3Ns: { memory: 59.5, remoteMemory: 127, remoteCache: 89.5 },
  tlb: { l1: { entries: 64, ways: 4 }, l2: { entries: 1536, ways: 12 }, l2LatencyCycles: 9 },
});

/**
 * 40 cores with 1.5 MiB of L3 each: 81,920 sets. The manual's 13 cycles are for the client's L2; the server's larger
 * one takes 14, as Skylake's.
 */
export const ICE_LAKE_SP = describeIntel({
  name: 'ice-lake-sp',
  cores: 40,
  gigahertz: 2.3,
  l1: { sizeBytes: 48 << 10, ways: 12, latencyCycles: 5 },
  l2: { sizeBytes: 1280 << 10, ways: 20, latencyCycles: 14 },
  l3: { bytesPerCore: 1536 << 10, ways: 12 },
  overL2Ns: { l3: 19, otherCore: 44 },
  overL3Ns: { memory: 43.5, remoteMemory: 108, remoteCache: 97 },
  tlb: { l1: { entries: 64, ways: 4 }, l2: { entries: 2048, ways: 16 }, l2LatencyCycles: 7 },
});

/** 56 cores with 1.875 MiB of L3 each: 114,688 sets. */
export const SAPPHIRE_RAPIDS = describeIntel({
  name: 'sapphire-rapids',
  cores: 56,
  gigahertz: 2,
  l1: { sizeBytes: 48 << 10, ways: 12, latencyCycles: 5 },
  l2: { sizeBytes: 2 << 20, ways: 16, latencyCycles: 14 },
  l3: { bytesPerCore: 1920 << 10, ways: 15 },
  overL2Ns: { l3: 33, otherCore: 76.6 },
  overL3Ns: { memory: 71, remoteMemory: 149, remoteCache: 135.5 },
  tlb: { l1: { entries: 96, ways: 6 }, l2: { entries: 2048, ways: 16 }, l2LatencyCycles: 7 },
});
