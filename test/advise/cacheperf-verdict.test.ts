// What CachePerf's rule says of counts, and in which words.

import { expect, test } from 'vitest';
import { verdictOf } from '../../src/advise/cacheperf-verdict.js';
import { spellCacheperf } from '../../src/report/cacheperf-text.js';
import { noCounts, type CacheperfCounts } from '../../src/what-if/cacheperf-columns.js';

function counted(numbers: Partial<Record<keyof CacheperfCounts, number>>): CacheperfCounts {
  const counts = noCounts(1);
  for (const [name, count] of Object.entries(numbers)) counts[name as keyof CacheperfCounts][0] = count;
  return counts;
}

test.each([
  [{ misses: 63 }, null, null, 'none (no instruction has 64 misses there)'],
  [
    { misses: 640, windows: 10, conflicts: 4 },
    'capacity',
    null,
    'capacity (conflicts in 4 of 10 windows of 64 misses)',
  ],
  [
    { misses: 640, windows: 10, conflicts: 5 },
    'conflict',
    'application',
    "conflict, the application's (5 of 10 windows of 64 misses)",
  ],
  [
    { misses: 640, windows: 10, conflicts: 8, conflictsAcross: 4 },
    'conflict',
    'application',
    "conflict, the application's (8 of 10 windows of 64 misses)",
  ],
  [
    { misses: 64_000, windows: 1000, conflicts: 999, conflictsAcross: 500 },
    'conflict',
    'allocator',
    "conflict, the allocator's (999 of 1,000 windows of 64 misses)",
  ],
  [
    { misses: 12, falseSharing: 1200, trueSharing: 34 },
    'false-sharing',
    'application',
    "false sharing, the application's (1,234 invalidations beside 12 misses)",
  ],
  [
    { misses: 64, windows: 1, conflicts: 1, falseSharing: 30, trueSharing: 34, sharingAcross: 33 },
    'true-sharing',
    'allocator',
    "true sharing, the allocator's (64 invalidations beside 64 misses)",
  ],
  [
    { misses: 65, windows: 1, conflicts: 1, falseSharing: 64 },
    'conflict',
    'application',
    "conflict, the application's (1 of 1 windows of 64 misses)",
  ],
] as const)('%j: %s, %s', (numbers, own, origin, words) => {
  const verdict = verdictOf(counted(numbers), 0);
  expect([verdict.class, verdict.origin]).toEqual([own, origin]);
  expect(spellCacheperf(verdict)).toBe(` CachePerf's rule: ${words}.`);
});
