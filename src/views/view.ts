// Stage: profile -> views. The part of JSON that every view shares; rows differ (data-profile.ts and its neighbours).

import type { TraceDamage } from '../contract/damage.js';
import type { LeftOut } from '../contract/left-out.js';
import type { Parallelism } from './parallelism.js';
import type { Machine, LevelName, Schedule } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import type { MarkCount, Phase, ProcessFacts, WindowFacts } from '../profile/profile.js';
import type { SamplingFacts } from '../profile/sampled.js';
import type { ClassCounts } from './counter-sums.js';
import type { LevelCycles } from './level-cycles.js';
import type { FrameChoice } from './frames.js';
import type { Sampled } from './row-estimates.js';
import type { TypingLedger } from './typing-ledger.js';
import type { WholeViewTotals } from './whole-counts.js';

/** The choices that a view offers besides its name; a view ignores the choices that it does not know. */
export interface ViewOptions extends RowFilter, FrameChoice {
  /** Text has the call path of each row below it. */
  readonly callPath?: boolean;
  readonly by?: ClassifiedBy;
  /** A column, as sort-rows.ts calls it. */
  readonly sort?: string;
  /** The level whose misses are shown; else the one that chooseLevel chooses. */
  readonly level?: LevelName;
  /** For estimated run time; without: DEFAULT_CPI. */
  readonly cpi?: Cpi;
}

/** Cycles of an instruction where nothing misses. */
export interface Cpi {
  readonly cycles: number;
  /** Here, by running the program's blocks. */
  readonly isMeasured: boolean;
  /** Then, by function: cycles of its machine code, by the function that is inlined there, or itself. */
  readonly functions?: FunctionCycles;
}

export type FunctionCycles = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Keeps only rows that concern these names; row-filter.ts says what that means. */
export interface RowFilter {
  readonly type?: string;
  readonly field?: string;
  readonly function?: string;
  /** Percent of what the view's rows have their shares of. */
  readonly minShare?: number;
}

export const FILTERS = ['type', 'field', 'function', 'minShare'] as const satisfies readonly (keyof RowFilter)[];
export type FilterName = (typeof FILTERS)[number];

/** What rows of the miss classification stand for. */
export const CLASSIFIED_BY = ['type', 'field', 'function', 'line', 'object', 'site', 'core'] as const;
export type ClassifiedBy = (typeof CLASSIFIED_BY)[number];

export interface LevelTotals {
  readonly hits: number;
  readonly misses: number;
  readonly classes: ClassCounts;
}

export interface ViewTotals extends WholeViewTotals, LevelCycles {
  readonly accesses: number;
  readonly references: number;
  readonly loads: number;
  readonly stores: number;
  readonly invalidations: number;
  readonly upgrades: number;
  readonly writeBacks: number;
  /** Replay time at the end. */
  readonly instructions: number;
  /** Estimated cycles: the latency of all references, and of accesses that missed the L1. */
  readonly latencyCycles: number;
  readonly missLatencyCycles: number;
  /** Of views whose rows have parts of it: estimated cycles of the run, which counts an instruction at `cpi` cycles. */
  readonly runCycles?: number;
  readonly cpi?: number;
  readonly isCpiMeasured?: boolean;
  readonly levels: Record<LevelName, LevelTotals>;
  /** Lines that had to leave a unit of the level for another. */
  readonly evictions: Record<LevelName, number>;
}

/** The part of the result that other recorded locks could have changed. */
export interface OrderBound {
  readonly segments: number;
  readonly segmentsThatWaited: number;
  /**
   * References to a line whose previous reference came from another core, and those of them made under a lock or by an
   * atomic.
   */
  readonly transfers: number;
  readonly orderBoundTransfers: number;
}

/** The part of the run that was not recorded because no window was open. */
export interface Windows {
  readonly closed: number;
  readonly closedSeconds: number;
  /** Words that were logged all the same, and thrown away. The work of functions that ran uninstrumented is unknown. */
  readonly droppedWords: number;
}

/** One of the runs of a merged profile. */
export interface ViewRun {
  readonly command: readonly string[];
  readonly ended: string;
  readonly truncated: boolean;
  readonly threads: number;
  readonly instructions: number;
  readonly window?: WindowFacts;
  readonly phases: readonly Phase[];
}

export interface View<Row> {
  readonly schema: string;
  readonly command: readonly string[];
  readonly ended: string;
  /** Only for a merged profile: `command` and `ended` are then the facts that the runs share. */
  readonly runs?: readonly ViewRun[];
  /** Only for several processes that were replayed together; `command` is then the first one's. */
  readonly processes?: readonly ProcessFacts[];
  readonly machine: Machine;
  /** As it is spelled: random:7; `order` is the same, taken apart. */
  readonly schedule: string;
  readonly order: Schedule;
  /** Threads are on the CPUs that were recorded for them, which are these cores. */
  readonly map?: 'cpu';
  readonly cpus?: readonly CpuCore[];
  readonly truncated: boolean;
  /** Only if chunks of the trace are damaged: what is left out. */
  readonly damaged?: TraceDamage;
  /** Only if more processes were given than are replayed together. */
  readonly leftOut?: LeftOut;
  readonly addressRandomisation: boolean;
  readonly threads: number;
  readonly totals: ViewTotals;
  readonly typing: TypingLedger;
  readonly orderBound: OrderBound;
  readonly parallelism: Parallelism | null;
  readonly outsideLife: number;
  /** The kernel's writes into the program's buffers are in the numbers; else they are among the unseen bytes. */
  readonly kernelStores: boolean;
  readonly unseenBytes: number;
  readonly lostSegments: number;
  /** Instructions of the program that access memory and are not recorded, by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly windows: Windows;
  /** If not all of the trace was counted (`windows` is what was not recorded). */
  readonly window?: WindowFacts;
  readonly phases: readonly Phase[];
  /** By name. */
  readonly marks: readonly MarkCount[];
  /** Miss classification: the subject of its rows, if it is not types. */
  readonly by?: ClassifiedBy;
  /** The column that its rows are sorted by, if one was asked for. */
  readonly sort?: string;
  /** The level whose misses and classes its tables show. */
  readonly level: LevelName;
  /** Its text has the call path of each row. */
  readonly withCallPath?: true;
  /** Which frames are the program's own, if it was said. */
  readonly frames?: FrameChoice;
  /** Rows that were left out, if some were asked for: totals and ledger are those of the whole run all the same. */
  readonly filter?: RowFilter;
  /** It is of a replay; else a SampledView. */
  readonly sampled?: undefined;
  readonly rows: readonly Row[];
}

/**
 * A view of a profile from samples: numbers that only a replay sees are null, and so is each number that no sample
 * says.
 */
export interface SampledView<Row>
  extends Omit<
    View<Row>,
    'schedule' | 'sampled' | 'totals' | 'orderBound' | 'outsideLife' | 'unseenBytes' | 'lostSegments'
  > {
  readonly schedule: 'sampled';
  readonly sampled: SamplingFacts;
  readonly totals: SampledTotals;
  readonly orderBound: null;
  readonly outsideLife: null;
  readonly unseenBytes: null;
  readonly lostSegments: null;
}

export interface SampledTotals extends Sampled<ViewTotals> {
  readonly references: number;
  /** Neither loads nor stores, if there are such. */
  readonly unknown?: number;
  readonly nanoseconds: number;
}
