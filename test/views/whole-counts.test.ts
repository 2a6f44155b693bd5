// The keys that only machines with prefetchers, TLBs and inclusive levels have.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { listBrokenInvariants } from '../profile/profile-invariants.js';
import type { Machine } from '../../src/contract/machine.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const whole: Machine = {
  ...facts.machine,
  l1: { ...facts.machine.l1, prefetchers: ['stride'] },
  llc: { ...facts.machine.llc, inclusion: 'inclusive' },
  tlb: { l1: { entries: 4, ways: 4 }, l2LatencyCycles: 7, walkLatencyCycles: 30 },
};

/** The hand-made run, whose first row prefetched five lines and missed the TLB nine times. */
function wholeResult(): ReplayResult {
  const result = handMadeResult();
  const set = (name: string, count: number): void => void (result.tallies.counters[COUNTERS.indexOf(name)] = count);
  set('l1.prefetchIssued', 5);
  set('l1.prefetchHits', 3);
  set('tlb.l1Misses', 9);
  set('tlb.l2Misses', 4);
  return {
    ...result,
    totals: {
      ...result.totals,
      backInvalidations: 6,
      prefetchIssued: [5, 0],
      prefetchUseful: [3, 0],
      prefetchUseless: [2, 0],
      tlbMisses: [9, 4],
    },
  };
}

test('a machine with the thing has its keys, in the totals and in every row', () => {
  const { totals, rows } = buildDataProfile(buildProfile(wholeResult(), catalog, { ...facts, machine: whole }));
  expect(totals).toMatchObject({
    backInvalidations: 6,
    prefetches: { l1: { issued: 5, useful: 3, useless: 2 } },
    tlb: { l1Misses: 9, l2Misses: 4 },
  });
  expect(rows.every((row) => row.prefetches !== undefined && row.tlb !== undefined)).toBe(true);
  expect(rows.filter((row) => row.tlb!.l1Misses > 0).map((row) => [row.prefetches, row.tlb])).toEqual([
    [{ l1: { issued: 5, useful: 3 } }, { l1Misses: 9, l2Misses: 4 }],
  ]);
});

test('a machine without it does not', () => {
  const { totals, rows } = buildDataProfile(buildProfile(handMadeResult(), catalog, facts));
  expect(['backInvalidations', 'prefetches', 'tlb'].filter((key) => key in totals || key in rows[0])).toEqual([]);
});

test('prefetches that are neither useful nor useless, and TLB misses of no row, are broken invariants', () => {
  const result = wholeResult();
  expect(listBrokenInvariants(buildProfile(result, catalog, facts))).toEqual([]);
  const wrong = {
    ...result,
    totals: { ...result.totals, prefetchUseless: [1, 0] as const, tlbMisses: [8, 4] as const },
  };
  expect(listBrokenInvariants(buildProfile(wrong, catalog, facts))).toEqual([
    'l1 prefetches, useful and useless: 4, not 5',
    'TLB misses of all rows, level 1: 9, not 8',
  ]);
});
