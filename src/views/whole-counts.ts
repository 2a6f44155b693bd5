// Stage: profile -> views. The counts that only machines with prefetchers, TLBs and inclusive levels have: their keys
// are there if the machine has the thing.

import type { Machine } from '../contract/machine.js';
import { PREFETCHING_LEVELS, type Totals } from '../contract/result.js';
import type { CounterSums } from './counter-sums.js';

type PerPrefetchingLevel<Value> = Partial<Record<(typeof PREFETCHING_LEVELS)[number], Value>>;

export interface TlbMisses {
  /** References that missed the first level, and those that walked. */
  readonly l1Misses: number;
  readonly l2Misses: number;
}

export interface WholeCounts {
  /** Issued by the row's references; `useful`: first references, by the row's, to lines that were prefetched. */
  readonly prefetches?: PerPrefetchingLevel<{ readonly issued: number; readonly useful: number }>;
  readonly tlb?: TlbMisses;
}

export interface WholeViewTotals {
  readonly backInvalidations?: number;
  readonly prefetches?: PerPrefetchingLevel<{
    readonly issued: number;
    readonly useful: number;
    readonly useless: number;
  }>;
  readonly tlb?: TlbMisses;
}

export function wholeCounts(machine: Machine, sums: CounterSums): WholeCounts {
  return {
    ...perPrefetchingLevel(machine, (level) => ({
      issued: sums.get(`${level}.prefetchIssued`),
      useful: sums.get(`${level}.prefetchHits`),
    })),
    ...(machine.tlb ? { tlb: { l1Misses: sums.get('tlb.l1Misses'), l2Misses: sums.get('tlb.l2Misses') } } : {}),
  };
}

export function wholeTotals(
  machine: Machine,
  {
    backInvalidations = 0,
    prefetchIssued = [0, 0],
    prefetchUseful = [0, 0],
    prefetchUseless = [0, 0],
    tlbMisses = [0, 0],
  }: Totals,
): WholeViewTotals {
  const isInclusive = [machine.l2, machine.llc].some(({ inclusion }) => inclusion === 'inclusive');
  return {
    ...(isInclusive ? { backInvalidations } : {}),
    ...perPrefetchingLevel(machine, (_, index) => ({
      issued: prefetchIssued[index],
      useful: prefetchUseful[index],
      useless: prefetchUseless[index],
    })),
    ...(machine.tlb ? { tlb: { l1Misses: tlbMisses[0], l2Misses: tlbMisses[1] } } : {}),
  };
}

function perPrefetchingLevel<Value>(
  machine: Machine,
  value: (level: (typeof PREFETCHING_LEVELS)[number], index: number) => Value,
): { prefetches?: PerPrefetchingLevel<Value> } {
  const entries = PREFETCHING_LEVELS.flatMap((level, index) =>
    machine[level].prefetchers?.length ? [[level, value(level, index)] as const] : [],
  );
  return entries.length === 0 ? {} : { prefetches: Object.fromEntries(entries) as PerPrefetchingLevel<Value> };
}
