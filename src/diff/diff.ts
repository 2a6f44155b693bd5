// Stage: profiles -> diff. Two runs compared: what changed per type and field, what changed most first; exactly the
// JSON of `dprof diff`.

import type { MarkCount, Profile, WindowFacts } from '../profile/profile.js';
import type { SamplingFacts } from '../profile/sampled.js';
import { LEVELS, type LevelName, type Machine } from '../contract/machine.js';
import { isTypeAsked } from '../base/type-name.js';
import { alignTypes } from './aligned-types.js';
import { sumAll } from '../views/counter-sums.js';
import { wrapRows } from '../views/envelope.js';
import type { OrderBound, ViewTotals } from '../views/view.js';
import { changeOf, countChange, type BeforeAfter, type CountChange, type Work } from './change.js';
import { listDifferences, type MadeDifferently } from './differences.js';
import { comparePaths, type PathChanges } from './path-changes.js';
import { compareRows, type DiffSort } from './rank.js';
import { changeIntervals } from './sampled-changes.js';
import { compareCounts, compareTypes, type CountedChange, type TypeChangeRow } from './type-changes.js';
import { nameBefore, typeSizes } from './type-sizes.js';
import { workOf } from './work.js';
import type { NamedProfile } from '../profile/mergeable.js';

/** One of the two runs. */
export interface DiffSide {
  /** The file, as it was named. */
  readonly name: string;
  readonly command: readonly string[];
  readonly ended: string;
  readonly truncated: boolean;
  readonly threads: number;
  readonly machine: Machine;
  readonly schedule: string;
  readonly window?: WindowFacts;
  readonly marks: readonly MarkCount[];
  readonly totals: ViewTotals;
  readonly orderBound: OrderBound;
  /** Its counts are estimates; what no sample can say is among its facts. */
  readonly sampled?: SamplingFacts;
}

/** The sums of all types' rows, and what is of no type. */
export interface DiffTotals extends CountedChange {
  readonly instructions: CountChange;
  readonly invalidations: CountChange;
  readonly upgrades: CountChange;
  readonly writeBacks: CountChange;
  readonly objects: CountChange;
  readonly averageLiveObjects: BeforeAfter;
  readonly workingSetBytes: BeforeAfter;
}

export interface Diff {
  readonly schema: 'dprof.diff/1';
  readonly before: DiffSide;
  readonly after: DiffSide;
  readonly madeDifferently: readonly MadeDifferently[];
  /** null: counts stand for themselves. */
  readonly per: Work | null;
  readonly sort: DiffSort;
  /** The level whose misses and classes are shown: what was asked for, or whose misses changed most in cycles. */
  readonly level: LevelName;
  readonly totals: DiffTotals;
  /** null: one of the profiles has no paths, or they are of something else. */
  readonly paths: PathChanges | null;
  /** Whole types by `sort`, each followed by its fields. */
  readonly rows: readonly TypeChangeRow[];
}

export interface DiffOptions {
  readonly per?: string;
  readonly sort?: DiffSort;
  readonly level?: LevelName;
  /** Only this type's rows; totals stay those of the whole runs. */
  readonly type?: string;
}

export function buildDiff(
  named: NamedProfile,
  after: NamedProfile,
  { per, sort: askedSort, level: askedLevel, type }: DiffOptions = {},
): Diff {
  const { profile: aligned, ownNames } = alignTypes(named.profile, after.profile);
  const before = { ...named, profile: aligned };
  const work = per === undefined ? null : workOf(per, before, after);
  const types = compareTypes(before.profile, after.profile, work).map(
    nameBefore(typeSizes(named.profile), typeSizes(after.profile), ownNames),
  );
  const totals = totalsOf(
    before.profile,
    after.profile,
    types.map(({ whole }) => whole),
    work,
  );
  // Samples need not say any latency, nor who served a miss.
  const isSampled = before.profile.sampled !== undefined || after.profile.sampled !== undefined;
  const sort = askedSort ?? (isSampled ? 'misses' : 'cycles');
  const level = askedLevel ?? (isSampled ? 'l1' : mostChangedLevel(totals));
  const compare = compareRows(sort, level);
  const intervals = changeIntervals(before.profile, after.profile);
  const withIntervals = (row: TypeChangeRow): TypeChangeRow =>
    intervals === undefined ? row : { ...row, intervals: intervals(row) };
  const shown = type === undefined ? types : types.filter(({ whole }) => isTypeAsked(whole.type, type));
  return {
    schema: 'dprof.diff/1',
    before: sideOf(before),
    after: sideOf(after),
    madeDifferently: listDifferences(before.profile, after.profile),
    per: work,
    sort,
    level,
    totals,
    paths: comparePaths(before.profile, after.profile, work, type),
    rows: shown
      .sort((a, b) => compare(a.whole, b.whole))
      .flatMap(({ whole, fields }) => [whole, ...[...fields].sort(compare)].map(withIntervals)),
  };
}

/** The level whose misses changed most in cycles; of equals the nearest. */
function mostChangedLevel({ levelCycles }: CountedChange): LevelName {
  const size = (level: LevelName): number => Math.abs(changeOf(levelCycles[level]));
  return LEVELS.reduce((most, level) => (size(level) > size(most) ? level : most));
}

function sideOf({ name, profile }: NamedProfile): DiffSide {
  const { command, ended, truncated, threads, machine, schedule, window, marks, totals, orderBound } = wrapRows<never>(
    profile,
    'diff',
    [],
  );
  return {
    name,
    command,
    ended,
    truncated,
    threads,
    machine,
    schedule,
    ...(window && { window }),
    marks,
    totals,
    orderBound,
    ...(profile.sampled && { sampled: profile.sampled.facts }),
  };
}

function totalsOf(
  { totals: before, tallies, machine }: Profile,
  { totals: after, tallies: others, machine: other }: Profile,
  wholes: readonly TypeChangeRow[],
  work: Work | null,
): DiffTotals {
  const count = (name: 'instructions' | 'invalidations' | 'upgrades' | 'writeBacks'): CountChange =>
    countChange(before[name], after[name], work);
  const add = (of: (objects: NonNullable<TypeChangeRow['objects']>) => BeforeAfter): BeforeAfter =>
    wholes.reduce((sum, { objects }) => (objects === null ? sum : addChanges(sum, of(objects))), {
      before: 0,
      after: 0,
      change: 0,
    });
  const objects = add((own) => own.objects);
  return {
    ...compareCounts(sumAll(tallies), sumAll(others), [machine, other], work),
    instructions: count('instructions'),
    invalidations: count('invalidations'),
    upgrades: count('upgrades'),
    writeBacks: count('writeBacks'),
    objects: countChange(objects.before, objects.after, work),
    averageLiveObjects: add((own) => own.averageLiveObjects),
    workingSetBytes: add((own) => own.workingSetBytes),
  };
}

function addChanges(a: BeforeAfter, b: BeforeAfter): BeforeAfter {
  return { before: a.before + b.before, after: a.after + b.after, change: a.change + b.change };
}
