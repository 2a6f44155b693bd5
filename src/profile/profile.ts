// Stage: profile. The result of a replay as plain data: names, tallies, sharing pairs and objects in columns, in
// canonical order, so that equal runs give equal bytes. Every view is a pure function of it. tables.ts describes the
// tables.

import type { Machine } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import type { Totals } from '../contract/result.js';
import type { Flow } from './flow.js';
import type { TypeLayout } from './layouts.js';
import type { SharedAddresses } from '../contract/threads-result.js';
import type { ObjectPart } from './object-source.js';
import type { SampledPart } from './sampled.js';
import type { ScheduleTable } from './schedule-table.js';
import type { LockColumns, ProfileTables, SharedVariableTables } from './tables.js';

export { OBJECT_KINDS } from '../contract/result.js';
export { FAMILIES, type LockColumns, type ObjectColumns } from './tables.js';

/** What the trace says about the run that it recorded. */
export interface RunFacts {
  readonly command: readonly string[];
  /** How the run ended, in words: "exited with status 0", "killed by signal 9". */
  readonly ended: string;
  /** The trace has no end: it was read up to its last whole chunk. */
  readonly truncated: boolean;
  readonly addressRandomisation: boolean;
  /** What the kernel wrote into the program's buffers was replayed as stores; profiles of before say nothing. */
  readonly kernelStores?: boolean;
  readonly threads: number;
  /** When it began, in Unix seconds; of a merged profile the first of its runs. Profiles of before say nothing. */
  readonly recordedAt?: number;
  /** Accesses in the program's text that are not recorded, by reason, ascending: instructions, not executions. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly stampsPerSecond: number;
  /**
   * Of a replay of several processes together, in the order in which they began; threads are counted through, as they
   * began.
   */
  readonly processes?: readonly ProcessFacts[];
}

export interface ProcessFacts {
  readonly pid: number;
  readonly command: readonly string[];
  readonly ended: string;
  readonly truncated: boolean;
  /** Numbers of its threads in the replay. */
  readonly threads: readonly number[];
}

/** A phase that the program named, and the replay time at which it began. */
export interface Phase {
  readonly name: string;
  readonly time: number;
}

/** A mark of the program, and how often it set it in what was counted. */
export interface MarkCount {
  readonly name: string;
  readonly times: number;
}

/** A border of a window: as it was asked for, and where it lies, in references made before it and in replay time. */
export interface WindowBorder {
  readonly asked: string;
  readonly references: number;
  readonly time: number;
}

/** What of a replay was counted. */
export interface WindowFacts {
  /** null: the beginning. */
  readonly from: WindowBorder | null;
  /** null: the end. */
  readonly to: WindowBorder | null;
  /** Where the caches were still empty; null: at the beginning. */
  readonly warmUp: WindowBorder | null;
}

export type RowTypeColumns = ProfileTables['types'];
export type SiteColumns = ProfileTables['sites'];
export type TallyColumns = ProfileTables['tallies'];
export type SharingColumns = ProfileTables['sharing'];
/** One side of a sharing pair. */
export type SharingSideColumns = SharingColumns['missed'];
export type ObjectCounterColumns = ProfileTables['objectCounters'];
export type TakerColumns = ProfileTables['evictions'];
export type UnusedBytesColumns = ProfileTables['unusedBytes'];
export type SharedVariableColumns = SharedVariableTables['sharedVariables'];

export interface SharedAddressFacts extends SharedAddresses {
  /** That there was room for. */
  readonly mostCounts: number;
}

/** One of the runs that a merged profile is of. */
export interface MergedRun {
  readonly run: RunFacts;
  readonly instructions: number;
  readonly closedStamps: number;
  readonly window?: WindowFacts;
  readonly phases: readonly Phase[];
  /** Of the profile's objects, so many are this run's; they stand in the order of the runs. */
  readonly objects: number;
  /** Of all of its profile: what runs are ordered by, so that the order in which they were merged leaves no mark. */
  readonly digest: string;
}

export interface Profile extends ProfileTables, ObjectPart, Partial<LockColumns>, Partial<SharedVariableTables> {
  /** Of a merged profile: what its runs have in common, or their sum. */
  readonly run: RunFacts;
  /** Of a merged profile, by digest; times of objects are those of their own run. */
  readonly runs?: readonly MergedRun[];
  readonly machine: Machine;
  /** As it is spelled: random:7. */
  readonly schedule: string;
  /**
   * Threads are on the CPUs that were recorded for them, which are these cores; undefined: on the core of their number.
   * By CPU, then core.
   */
  readonly cpus?: readonly CpuCore[];
  /** Of a replay under several schedules; `schedule` is the first of them. */
  readonly schedules?: ScheduleTable;
  readonly totals: Totals;
  /** If not all of the trace counts. */
  readonly window?: WindowFacts;
  readonly phases: readonly Phase[];
  /** By name. Of a merged profile: sums. */
  readonly marks: readonly MarkCount[];
  /** Distinct, ascending. */
  readonly strings: readonly string[];
  /** If it was collected. */
  readonly flow?: Flow;
  /**
   * Of the types that the tables name, and of those nested in them; by name, kind, size. Profiles from samples have
   * none.
   */
  readonly layouts?: readonly TypeLayout[];
  /** Beside the table of shared variables. */
  readonly sharedAddresses?: SharedAddressFacts;
  /** Of a profile from samples: its numbers are estimates, its times nanoseconds, its cores those of `cpus`. */
  readonly sampled?: SampledPart;
}
