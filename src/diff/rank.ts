// Stage: diff. Which change stands first: the largest, whichever way it goes; ties by name.

import { changeOf, type CountChange } from './change.js';
import type { TypeChangeRow } from './type-changes.js';

/**
 * Rows are ranked by the absolute change of one of these. Fields have no objects, so keys of objects rank them by L1
 * misses.
 */
export const DIFF_SORTS = [
  'misses',
  'cycles',
  'references',
  'l2-misses',
  'llc-misses',
  'live-objects',
  'working-set',
  'lifetime',
] as const;
export type DiffSort = (typeof DIFF_SORTS)[number];

export const SORT_NAMES: Readonly<Record<DiffSort, string>> = {
  misses: 'L1 misses',
  cycles: 'estimated cycles',
  references: 'references',
  'l2-misses': 'L2 misses',
  'llc-misses': 'LLC misses',
  'live-objects': 'average live objects',
  'working-set': 'working set',
  lifetime: 'average lifetime',
};

const KEYS: Readonly<Record<DiffSort, (row: TypeChangeRow) => number>> = {
  misses: (row) => size(row.levels.l1.misses),
  cycles: (row) => size(row.missLatencyCycles),
  references: (row) => size(row.references),
  'l2-misses': (row) => size(row.levels.l2.misses),
  'llc-misses': (row) => size(row.levels.llc.misses),
  'live-objects': (row) =>
    row.objects === null ? size(row.levels.l1.misses) : Math.abs(row.objects.averageLiveObjects.change),
  'working-set': (row) =>
    row.objects === null ? size(row.levels.l1.misses) : Math.abs(row.objects.workingSetBytes.change),
  lifetime: (row) =>
    row.objects === null ? size(row.levels.l1.misses) : Math.abs(row.objects.averageLifetimeInstructions.change ?? 0),
};

function size(count: CountChange): number {
  return Math.abs(changeOf(count));
}

export function compareRows(sort: DiffSort): (a: TypeChangeRow, b: TypeChangeRow) => number {
  const key = KEYS[sort];
  return (a, b) => key(b) - key(a) || byName(a.type, b.type) || byName(a.field ?? '', b.field ?? '');
}

/** As the code units say, so that no locale changes an order. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
