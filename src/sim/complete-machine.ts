// Stage: replay. A machine's description with every word said: what it leaves out is as the default machine has it.

import type { CacheLevel, Machine } from '../replay/machine.js';

export type CompleteLevel = Required<CacheLevel>;

export interface CompleteMachine extends Required<Omit<Machine, 'tlb' | 'l1' | 'l2' | 'llc'>> {
  readonly l1: CompleteLevel;
  readonly l2: CompleteLevel;
  readonly llc: CompleteLevel;
  /** undefined: no TLB is simulated. */
  readonly tlb: Machine['tlb'];
}

export function completeMachine(machine: Machine): CompleteMachine {
  const { cores, coresPerL1 = 1, cacheToCacheLatencyCycles, memoryLatencyCycles } = machine;
  return {
    coresPerL1,
    coresPerL2: coresPerL1,
    coresPerSocket: cores,
    remoteCacheLatencyCycles: cacheToCacheLatencyCycles,
    remoteMemoryLatencyCycles: memoryLatencyCycles,
    protocol: 'mesi',
    pageBytes: 4096,
    colouring: 'virtual',
    seed: 1,
    ...said(machine),
    l1: completeLevel(machine.l1),
    l2: completeLevel(machine.l2),
    llc: completeLevel(machine.llc),
    tlb: machine.tlb,
  };
}

function completeLevel(level: CacheLevel): CompleteLevel {
  return { policy: 'lru', inclusion: 'non-inclusive', prefetchers: [], ...said(level) };
}

/** Without words that are undefined. */
function said<T extends object>(words: T): T {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as T;
}
