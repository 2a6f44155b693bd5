// Stage: profile. The result of a replay as plain data: names, tallies, sharing pairs and objects in columns, in
// canonical order, so that equal runs give equal bytes. Every view is a pure function of it. tables.ts describes the
// tables.

import type { SpelledFile } from '../base/source-file.js';
import type { TraceDamage } from '../contract/damage.js';
import type { LeftOut } from '../contract/left-out.js';
import type { ParallelismTable } from '../contract/parallelism.js';
import type { Machine } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import type { Totals } from '../contract/result.js';
import type { Flow } from './flow.js';
import type { TypeLayout } from './layouts.js';
import type { SharedAddresses } from '../contract/threads-result.js';
import type { ObjectPart } from './object-source.js';
import type { SampledPart } from './sampled.js';
import type { ScheduleTable } from './schedule-table.js';
import type { LockColumns, MemoryTables, ProfileTables, SharedVariableTables } from './tables.js';

export { OBJECT_KINDS } from '../contract/result.js';
export { FAMILIES, type LockColumns, type ObjectColumns } from './tables.js';

/** The trace's facts about the run that it recorded. */
export interface RunFacts {
  readonly command: readonly string[];
  /** How the run ended, in words: "exited with status 0", "killed by signal 9". */
  readonly ended: string;
  /** The trace has no end: it was read up to its last whole chunk. */
  readonly truncated: boolean;
  /** Chunks of the trace are damaged, and left out. Older profiles are of traces without damage. */
  readonly damaged?: TraceDamage;
  readonly addressRandomisation: boolean;
  /** The kernel's writes into the program's buffers were replayed as stores. Older profiles do not say it. */
  readonly kernelStores?: boolean;
  readonly threads: number;
  /** The begin of the run in Unix seconds; in a merged profile, of the first run. Older profiles do not say it. */
  readonly recordedAt?: number;
  /** Accesses in the program's text that are not recorded, by reason, ascending: instructions, not executions. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly stampsPerSecond: number;
  /**
   * Only for a replay of several processes together, in the order in which they began. Threads are numbered across
   * processes in the same order.
   */
  readonly processes?: readonly ProcessFacts[];
  /** More processes were given than are replayed together. Older profiles were refused then. */
  readonly leftOut?: LeftOut;
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

/** The part of a replay that was counted. */
export interface WindowFacts {
  /** null: the beginning. */
  readonly from: WindowBorder | null;
  /** null: the end. */
  readonly to: WindowBorder | null;
  /** The border from which caches warm up; at it they are empty. null: the beginning. */
  readonly warmUp: WindowBorder | null;
}

export type RowTypeColumns = ProfileTables['types'];
export type SiteColumns = ProfileTables['sites'];
export type TallyColumns = ProfileTables['tallies'];
/** One side of a sharing pair. */
export type SharingSideColumns = ProfileTables['sharing']['missed'];
export type TakerColumns = ProfileTables['evictions'];

export interface SharedAddressFacts extends SharedAddresses {
  /** The number of counts that there was room for. */
  readonly mostCounts: number;
}

/** One of the runs that a merged profile is of. */
export interface MergedRun {
  readonly run: RunFacts;
  readonly instructions: number;
  readonly closedStamps: number;
  readonly window?: WindowFacts;
  readonly phases: readonly Phase[];
  /** The number of the profile's objects that belong to this run. Objects stand in the order of the runs. */
  readonly objects: number;
  /** A hash of the whole profile. Runs are ordered by it, so the result does not depend on the order of merging. */
  readonly digest: string;
}

export interface Profile
  extends ProfileTables,
    ObjectPart,
    Partial<LockColumns>,
    Partial<SharedVariableTables>,
    Partial<MemoryTables> {
  /** A merged profile has what its runs have in common, or their sum. */
  readonly run: RunFacts;
  /** Only for a merged profile, ordered by digest. Times of objects are those of their own run. */
  readonly runs?: readonly MergedRun[];
  readonly machine: Machine;
  /** As it is spelled: random:7. */
  readonly schedule: string;
  /**
   * Threads are on the CPUs that were recorded for them, which are these cores; undefined: on the core of their number.
   * By CPU, then core.
   */
  readonly cpus?: readonly CpuCore[];
  /** Only for a replay under several schedules; `schedule` is the first of them. */
  readonly schedules?: ScheduleTable;
  readonly totals: Totals;
  /** If not all of the trace counts. */
  readonly window?: WindowFacts;
  /** Of several threads, in an order in which threads wait. */
  readonly parallelism?: ParallelismTable;
  readonly phases: readonly Phase[];
  /** By name. A merged profile has sums. */
  readonly marks: readonly MarkCount[];
  /** Distinct, ascending. */
  readonly strings: readonly string[];
  /** If it was collected. */
  readonly flow?: Flow;
  /** The rows of objects are sums of several (ReplayInput.mostObjects): no view can list or time objects. */
  readonly objectsAreSums?: true;
  /**
   * The types that the tables name, and the types nested in them; by name, kind, size. Profiles from samples have none.
   */
  readonly layouts?: readonly TypeLayout[];
  /** Every file that tables and layouts name, ascending by spelling. Older profiles do not say which files they are. */
  readonly files?: readonly SpelledFile[];
  /** Only with the table of shared variables. */
  readonly sharedAddresses?: SharedAddressFacts;
  /** What its reader asked for, in no file: which frames are the program's own (src/views/frames.ts). */
  readonly frames?: { readonly libraries?: readonly string[]; readonly innermost?: boolean };
  /** Only for a profile from samples: its numbers are estimates, its times nanoseconds, its cores those of `cpus`. */
  readonly sampled?: SampledPart;
}
