// Stage: diff. Which change stands first: the largest, whichever way it goes; ties by name.

import { CLASSES, type LevelName, type MissClass } from '../contract/machine.js';
import { CLASS_NAMES } from '../views/class-names.js';
import { changeOf, type CountChange } from './change.js';
import type { TypeChangeRow } from './type-changes.js';

/**
 * Rows are ranked by the absolute change of one of these; classes are those of the comparison's level. Fields have no
 * objects, so keys of objects rank them by estimated cycles.
 */
export const DIFF_SORTS = [
  'cycles',
  'misses',
  'l2-misses',
  'llc-misses',
  ...CLASSES,
  'cache-to-cache',
  'references',
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
  ...CLASS_NAMES,
  'cache-to-cache': 'references from other caches',
  'live-objects': 'average live objects',
  'working-set': 'working set',
  lifetime: 'average lifetime',
};

const KEYS: Readonly<Record<Exclude<DiffSort, MissClass>, (row: TypeChangeRow) => number>> = {
  misses: (row) => size(row.levels.l1.misses),
  cycles: (row) => size(row.missLatencyCycles),
  references: (row) => size(row.references),
  'l2-misses': (row) => size(row.levels.l2.misses),
  'llc-misses': (row) => size(row.levels.llc.misses),
  'cache-to-cache': (row) => size(row.cacheToCache),
  'live-objects': (row) =>
    row.objects === null ? size(row.missLatencyCycles) : Math.abs(row.objects.averageLiveObjects.change),
  'working-set': (row) =>
    row.objects === null ? size(row.missLatencyCycles) : Math.abs(row.objects.workingSetBytes.change),
  lifetime: (row) =>
    row.objects === null ? size(row.missLatencyCycles) : Math.abs(row.objects.averageLifetimeInstructions.change ?? 0),
};

function size(count: CountChange): number {
  return Math.abs(changeOf(count));
}

export function compareRows(sort: DiffSort, level: LevelName): (a: TypeChangeRow, b: TypeChangeRow) => number {
  const key = isClass(sort) ? (row: TypeChangeRow): number => size(row.levels[level].classes[sort]) : KEYS[sort];
  return (a, b) => key(b) - key(a) || byName(a.type, b.type) || byName(a.field ?? '', b.field ?? '');
}

export function isClass(sort: DiffSort): sort is MissClass {
  return (CLASSES as readonly string[]).includes(sort);
}

/** As the code units say, so that no locale changes an order. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
