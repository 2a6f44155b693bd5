// Stage: profile -> views. The rows of the working set, exact or from samples, and the views that have them.

import type { PATH_ENDS } from '../contract/flow-result.js';
import type { LevelName } from '../contract/machine.js';
import type { Interval } from '../base/intervals.js';
import type { SampledView, View } from './view.js';
import type { FlowTotals } from './flow-facts.js';
import type { LevelSets } from './set-use.js';

/** Lives that went through the same functions one after the other, and ended alike. */
export interface WalkedPath {
  /** Steps of one function that follow one another are one; null: unknown, or what was cut. */
  readonly functions: readonly (string | null)[];
  readonly end: (typeof PATH_ENDS)[number];
  readonly frequency: number;
}

export type PerLevel<Value> = Record<LevelName, Value>;

export interface WorkingSetRow {
  /** `(freed)`: lines of objects that were freed, of all types; `(no object)`: of nothing that lives. */
  readonly type: string;
  readonly objects: number;
  readonly lives: number;
  readonly averageLiveObjects: number;
  readonly peakLiveObjects: number;
  readonly averageLiveBytes: number;
  readonly peakLiveBytes: number;
  readonly averageLifetimeInstructions: number | null;
  /** By k: lives of 2^k to 2^(k+1) instructions; the first has the shorter ones too. */
  readonly lifetimesLog2: readonly number[];
  readonly averageResidentLines: PerLevel<number>;
  readonly averageResidentBytes: PerLevel<number>;
  /** Lines of the type's objects that were freed: its part of the row `(freed)`. */
  readonly averageFreedLines: PerLevel<number>;
  readonly linesPerSet: PerLevel<readonly number[]>;
  readonly objectsPerSet: PerLevel<readonly number[]>;
  readonly missesPerSet: PerLevel<readonly number[]>;
  readonly unusedSets: PerLevel<number>;
  readonly reachableSets: PerLevel<number>;
  readonly paths: readonly WalkedPath[];
  /** Average live bytes in each of so many equal parts of the run. */
  readonly timeline: readonly number[];
}

/** Numbers that the interposer counted. */
export const COUNTED = [
  'objects',
  'lives',
  'averageLiveObjects',
  'peakLiveObjects',
  'averageLiveBytes',
  'peakLiveBytes',
] as const;

/** A row of the working set as samples and their simulation say it. */
export interface SampledWorkingSetRow
  extends Pick<WorkingSetRow, 'type' | 'paths' | 'timeline'>,
    Record<(typeof COUNTED)[number], number | null>,
    NotReplayed<Simulated> {
  /** Numbers of it that were counted, not drawn. */
  readonly exact: readonly string[];
  readonly averageLifetimeInstructions: null;
  readonly averageLifetimeNanoseconds: number | null;
  readonly lifetimesLog2: null;
  readonly averageFreedLines: null;
  readonly missesPerSet: null;
  readonly intervals: Record<'averageResidentLines' | 'averageResidentBytes', Record<LevelName, Interval | null>>;
}

/** null: nothing was simulated. */
type Simulated = Pick<
  WorkingSetRow,
  'averageResidentLines' | 'averageResidentBytes' | 'linesPerSet' | 'objectsPerSet' | 'unusedSets' | 'reachableSets'
>;

type NotReplayed<Row> = { readonly [Key in keyof Row]: Row[Key] | null };

export interface WorkingSet extends View<WorkingSetRow> {
  readonly flow: FlowTotals;
  readonly sets: PerLevel<LevelSets>;
  /** The length of one part of the timelines. */
  readonly timelinePartInstructions: number;
}

/** The view from samples. Its time is nanoseconds. */
export interface SampledWorkingSet extends SampledView<SampledWorkingSetRow> {
  readonly flow: FlowTotals;
  readonly sets: PerLevel<LevelSets>;
  readonly timelinePartInstructions: null;
  readonly timelinePartNanoseconds: number;
}
