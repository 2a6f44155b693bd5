// Stage: profile -> views. Where rows of samples keep the bounds of their numbers: under `intervals`, at the places of
// the numbers themselves; those of sums and shares, which are no numbers of the row, under `total` and `share`.

import type { Interval } from '../base/intervals.js';
import { LEVELS } from '../replay/machine.js';

/** Sums of several places, and shares: where their bounds are. */
const PLACES: Readonly<Record<string, string>> = Object.fromEntries([
  ['references.loads+references.stores', 'total.references'],
  ['references.loads+references.stores+references.unknown', 'total.references'],
  ...LEVELS.flatMap((level) => [
    [`misses.${level}.loads+misses.${level}.stores`, `total.${level}Misses`],
    [`levels.${level}.misses`, `total.${level}Misses`],
  ]),
  ...['misses.l1.loads+misses.l1.stores', 'levels.l1.misses'].flatMap((misses) => [
    [`${misses}/totals.levels.l1.misses`, 'share.ofL1Misses'],
    [`${misses}/references.loads+references.stores`, 'share.missRate'],
    [`${misses}/references.loads+references.stores+references.unknown`, 'share.missRate'],
  ]),
]);

/** `id`: a column's. undefined: the row is of no samples, or counted. null: it has no bounds there. */
export function intervalAt(row: unknown, id: string): Interval | null | undefined {
  const { intervals, exact = [] } = (row ?? {}) as { readonly intervals?: object; readonly exact?: readonly string[] };
  if (intervals === undefined || exact.includes(id) || COUNTED.includes(id)) return undefined;
  const served = /^served\.([\w-]+)\/references$/.exec(id);
  const path = served === null ? (PLACES[id] ?? id) : `hit.${served[1]}`;
  const found = path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], intervals);
  return Array.isArray(found) ? [Number(found[0]), Number(found[1])] : null;
}

/** Numbers of rows from samples that were counted, not drawn. */
const COUNTED: readonly string[] = [
  'bytes',
  'objects',
  'lives',
  'frees',
  'liveObjects',
  'workingSetBytes',
  'averageLiveObjects',
  'peakLiveObjects',
  'averageLiveBytes',
  'peakLiveBytes',
  'averageLifetimeNanoseconds',
  'steps.length',
];
