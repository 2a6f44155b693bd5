// Stage: replay. The place of each counter of a tally: names of COUNTERS to columns, looked up once.

import { COUNTERS, PREFETCHING_LEVELS } from '../contract/result.js';
import { CLASSES, DPROF_RULES, LEVELS, SERVERS } from '../contract/machine.js';

function column(name: string): number {
  const index = COUNTERS.indexOf(name);
  if (index < 0) throw new RangeError(`no counter ${name}`);
  return index;
}

export const Counter = {
  loads: column('loads'),
  stores: column('stores'),
  latencyCycles: column('latencyCycles'),
  missLatencyCycles: column('missLatencyCycles'),
  transfers: column('transfers'),
  orderBoundTransfers: column('orderBoundTransfers'),
  served: SERVERS.map((server) => column(`served.${server}`)),
  levels: LEVELS.map((level) => ({
    missLoads: column(`${level}.missLoads`),
    missStores: column(`${level}.missStores`),
    classes: CLASSES.map((name) => column(`${level}.${name}`)),
    compulsoryShared: column(`${level}.compulsoryShared`),
    dprof: DPROF_RULES.map((name) => column(`${level}.dprof.${name}`)),
  })),
  prefetch: PREFETCHING_LEVELS.map((level) => ({
    issued: column(`${level}.prefetchIssued`),
    hits: column(`${level}.prefetchHits`),
  })),
  tlbMisses: [column('tlb.l1Misses'), column('tlb.l2Misses')],
} as const;

/** Counters of references; `leaf` is theirs, as TallyTable has it. */
export interface Counted {
  readonly slot: number;
  readonly core: number;
  readonly leaf: number;
  /** In the order of COUNTERS. */
  readonly counters: number[];
}
