// Stage: command line -> replay. AWS Graviton 3: 64 Neoverse V1 cores on a CMN-650 mesh, one socket.
//
// L1 and L2, their replacement, inclusion and coherence, and the TLBs: Arm Neoverse V1 Core Technical Reference Manual
// (101427), "L1 memory system", "L2 memory system" and "Memory management". 4 cycles: Arm Neoverse V1 Software
// Optimization Guide (PJDOC-466751330-9685), load latency. The LLC is the mesh's system level cache: exclusive for data
// lines except where sharing is detected (CMN-650 Technical Reference Manual); AWS says its size (32 MiB, lscpu), and
// nobody its ways (16 are assumed, as of CMN's HN-F). The L2 replaces by a biased policy of its own: LRU here.
//
// 10 cycles for an L2 of 1 MiB: Arm (Neoverse V1 at the Teratec forum, 2021). Latencies behind it are published by
// neither. Assumed at 2.6 GHz: 80 (30 ns) for the LLC, 120 (45 ns) for a line of another core, 300 (115 ns) for memory;
// 7 cycles for the second TLB, 30 for a walk. Prefetchers: the manual says that the L1 and L2 have some and that they
// follow strides and streams.

import type { MachineDescription } from './machine-description.js';

export const GRAVITON3: MachineDescription = {
  name: 'graviton3',
  lineBytes: 64,
  l1: { sizeBytes: 64 << 10, ways: 4, latencyCycles: 4, policy: 'tree-plru', prefetchers: ['next-line', 'stride'] },
  l2: { sizeBytes: 1 << 20, ways: 8, latencyCycles: 10, inclusion: 'inclusive', prefetchers: ['next-line'] },
  llc: { sizeBytes: 32 << 20, ways: 16, latencyCycles: 80, inclusion: 'exclusive' },
  coresPerLlc: 64,
  memoryLatencyCycles: 300,
  cacheToCacheLatencyCycles: 120,
  protocol: 'mesi',
  tlb: { l1: { entries: 40, ways: 40 }, l2: { entries: 2048, ways: 8 }, l2LatencyCycles: 7, walkLatencyCycles: 30 },
};
