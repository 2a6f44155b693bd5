// Stage: command line -> replay. A machine before it is known how many threads run on it, and the default one, which
// says what others leave out.

import type { Machine } from '../contract/machine.js';

export const MOST_CORES = 64;

/** Without `cores`: as many as the trace has threads. Without `coresPerLlc`: one LLC. */
export type MachineDescription = Omit<Machine, 'cores' | 'coresPerLlc'> &
  Partial<Pick<Machine, 'cores' | 'coresPerLlc'>>;

export const DEFAULT_MACHINE: MachineDescription = {
  name: 'default',
  lineBytes: 64,
  l1: { sizeBytes: 32 << 10, ways: 8, latencyCycles: 4 },
  l2: { sizeBytes: 1 << 20, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 32 << 20, ways: 16, latencyCycles: 50 },
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 200,
};

/** The penalties of a TLB that is asked for without them. */
export const TLB_PENALTIES = { l2LatencyCycles: 7, walkLatencyCycles: 30 } as const;
