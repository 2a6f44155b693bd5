// Stage: command line -> replay. Machines that dprof knows by name.

import type { Machine } from '../replay/machine.js';

export const MOST_CORES = 64;

/** Without `cores`: as many as the trace has threads. Without `coresPerLlc`: one LLC. */
export type MachineDescription = Omit<Machine, 'cores' | 'coresPerLlc'> & Partial<Pick<Machine, 'cores' | 'coresPerLlc'>>;

export const DEFAULT_MACHINE: MachineDescription = {
  name: 'default',
  lineBytes: 64,
  l1: { sizeBytes: 32 << 10, ways: 8, latencyCycles: 4 },
  l2: { sizeBytes: 1 << 20, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 32 << 20, ways: 16, latencyCycles: 50 },
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 200,
};

/** Four four-core Opterons, as in the DProf paper; the paper gives 200-300 cycles for what leaves the chip. */
export const PAPER_MACHINE: MachineDescription = {
  name: 'paper',
  cores: 16,
  coresPerLlc: 4,
  lineBytes: 64,
  l1: { sizeBytes: 64 << 10, ways: 2, latencyCycles: 3 },
  l2: { sizeBytes: 512 << 10, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 2 << 20, ways: 32, latencyCycles: 50 },
  memoryLatencyCycles: 250,
  cacheToCacheLatencyCycles: 200,
};
