// Stage: HTML page. The measures that two runs are compared by: each has a place in a row, a name and a spelling.

import type { AverageChange, BeforeAfter } from '../../src/diff/change.js';
import type { Diff } from '../../src/diff/diff.js';
import { byName, SORT_NAMES, type DiffSort } from '../../src/diff/rank.js';
import type { CountedChange, ObjectsChange, TypeChangeRow } from '../../src/diff/type-changes.js';
import type { LevelName, MissClass } from '../../src/contract/machine.js';
import { SPELL, type ChangingUnit } from '../units.js';
import type { Numbers } from './numbers.js';

export interface CountMeasure {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly read: (row: CountedChange) => CountedChange['references'];
  /** Only measures of misses have it, since only misses have classes. */
  readonly level?: LevelName;
  readonly meaning?: string;
}

const misses = (id: DiffSort, level: LevelName): CountMeasure => ({
  id,
  name: SORT_NAMES[id],
  path: `levels.${level}.misses`,
  read: ({ levels }) => levels[level].misses,
  level,
});

export const COUNT_MEASURES: readonly CountMeasure[] = [
  {
    id: 'cycles',
    name: SORT_NAMES.cycles,
    path: 'missLatencyCycles',
    read: (row) => row.missLatencyCycles,
    meaning: 'the latency of accesses that missed the L1',
  },
  misses('misses', 'l1'),
  misses('l2-misses', 'l2'),
  misses('llc-misses', 'llc'),
  {
    id: 'cache-to-cache',
    name: 'from other caches',
    path: 'cacheToCache',
    read: (row) => row.cacheToCache,
    meaning: "references served by another core's cache",
  },
  { id: 'references', name: SORT_NAMES.references, path: 'references', read: (row) => row.references },
];

export function classMeasure(name: MissClass, level: LevelName): CountMeasure {
  return {
    id: name,
    name: SORT_NAMES[name],
    path: `levels.${level}.classes.${name}`,
    read: ({ levels }) => levels[level].classes[name],
    level,
  };
}

export interface ObjectsMeasure {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly unit: ChangingUnit;
  readonly spell: (value: number) => string;
  readonly read: (objects: ObjectsChange) => BeforeAfter | AverageChange;
}

export const OBJECTS_MEASURES: readonly ObjectsMeasure[] = [
  {
    id: 'working-set',
    name: SORT_NAMES['working-set'],
    path: 'objects.workingSetBytes',
    unit: 'bytes',
    spell: SPELL.bytes,
    read: (objects) => objects.workingSetBytes,
  },
  {
    id: 'live-objects',
    name: SORT_NAMES['live-objects'],
    path: 'objects.averageLiveObjects',
    unit: 'rate',
    spell: SPELL.rate,
    read: (objects) => objects.averageLiveObjects,
  },
  {
    id: 'peak',
    name: 'most live objects',
    path: 'objects.peakLiveObjects',
    unit: 'count',
    spell: SPELL.count,
    read: (objects) => objects.peakLiveObjects,
  },
  {
    id: 'lifetime',
    name: SORT_NAMES.lifetime,
    path: 'objects.averageLifetimeInstructions',
    unit: 'average',
    spell: SPELL.average,
    read: (objects) => objects.averageLifetimeInstructions,
  },
];

/** The one that was asked for, what the comparison is sorted by, or the first. */
export function askedMeasure<Measure extends { readonly id: string }>(
  measures: readonly Measure[],
  words: URLSearchParams,
  { sort }: Diff,
): Measure {
  return measures.find(({ id }) => id === words.get('by')) ?? measures.find(({ id }) => id === sort) ?? measures[0];
}

/** As the comparison itself ranks: the largest change first, whichever way it goes, then by name. */
export function rankRows(rows: readonly TypeChangeRow[], { read }: CountMeasure, numbers: Numbers): TypeChangeRow[] {
  const size = (row: TypeChangeRow): number => Math.abs(numbers.of(read(row)).change);
  return [...rows].sort((a, b) => size(b) - size(a) || byName(a.type, b.type) || byName(a.field ?? '', b.field ?? ''));
}

export type RowWithObjects = TypeChangeRow & { readonly objects: ObjectsChange };

export function rankObjects(rows: readonly TypeChangeRow[], { read }: ObjectsMeasure): RowWithObjects[] {
  const size = ({ objects }: RowWithObjects): number => Math.abs(read(objects).change ?? 0);
  return rows
    .filter((row): row is RowWithObjects => row.objects !== null)
    .sort((a, b) => size(b) - size(a) || byName(a.type, b.type));
}
