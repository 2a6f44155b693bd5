// Stage: profile -> views. The bounds of the numbers in rows of samples. They are under `intervals`, at the places of
// the numbers themselves; those of sums and shares, which are no numbers of the row, under `total` and `share`.

import type { Estimate } from '../base/estimate.js';
import { boundsOf } from '../base/estimate.js';
import type { Interval } from '../base/intervals.js';
import { LEVELS } from '../contract/machine.js';

/** A row as samples say it: null stands for a value that no sample says. */
type Unsure<Value> = Value extends number | boolean
  ? Value | null
  : Value extends string | null | undefined
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly Unsure<Item>[]
      : { readonly [Key in keyof Value]: Unsure<Value[Key]> };

/** Bounds, by the places of what they are of. */
export interface Bounds {
  readonly [place: string]: Interval | Bounds | null | undefined;
}

export type Sampled<Row> = Unsure<Row> & { readonly intervals: Bounds };

/** A row that samples say, being written: numbers with their bounds, at dotted places. */
export class SampledRow<Row extends object> {
  readonly row: Sampled<Row>;
  readonly #bounds: Bounds = {};

  constructor(row: Row) {
    this.row = unsure(row, this.#bounds);
  }

  /** null: no sample says it. */
  write(place: string, value: unknown): void {
    writeAt(this.row, place, value);
  }

  estimate(place: string, estimate: Estimate): void {
    this.write(place, estimate.value);
    this.bound(place, boundsOf(estimate));
  }

  /** The bounds may be those of a sum or a share, which is no number of the row. */
  bound(place: string, bounds: Interval | null): void {
    if (bounds !== null) writeAt(this.#bounds, place, bounds);
  }
}

function unsure<Row extends object>(row: Row, bounds: Bounds): Sampled<Row>;
function unsure(row: object, bounds: Bounds): object {
  return { ...structuredClone(row), intervals: bounds };
}

function writeAt(into: object, place: string, value: unknown): void {
  const keys = place.split('.');
  const last = keys.pop()!;
  let at = into as Record<string, unknown>;
  for (const key of keys) at = (at[key] ??= {}) as Record<string, unknown>;
  at[last] = value;
}

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
  return boundsAt(intervals, path);
}

/** The bounds at a dotted place; null if there are none. */
export function boundsAt(intervals: object, place: string): Interval | null {
  const found = place
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
