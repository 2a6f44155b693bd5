// Stage: profile. The result of a replay as plain data: names, tallies, sharing pairs and objects in columns, in
// canonical order, so that equal runs give equal bytes. Every view is a pure function of it.

import type { Machine } from '../replay/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import type { Totals } from '../replay/result.js';
import type { Flow } from './flow.js';
import type { TypeLayout } from './layouts.js';
import type { SharedAddresses } from '../replay/threads-result.js';
import type { ObjectSource } from './object-source.js';
import type { SampledPart } from './sampled.js';
import type { ScheduleTable } from './schedule-table.js';

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

/** Where a row type's name comes from. */
export const FAMILIES = ['scalar', 'aggregate', 'heap-site', 'untyped'] as const;

export interface RowTypeColumns {
  /** String number, ascending by name. */
  readonly name: Uint32Array;
  /** Index into FAMILIES. */
  readonly family: Uint8Array;
}

/** Source positions of accesses, allocations and declarations; row 0 is "unknown". */
export interface SiteColumns {
  readonly function: Uint32Array;
  readonly file: Uint32Array;
  readonly line: Uint32Array;
  readonly column: Uint16Array;
}

export interface TallyColumns {
  readonly type: Uint32Array;
  /** String number; NO_INDEX: the type as a whole. */
  readonly field: Uint32Array;
  /** Index into RULES. */
  readonly rule: Uint8Array;
  readonly site: Uint32Array;
  readonly core: Uint16Array;
  /** Row-major, COUNTERS.length columns. */
  readonly counters: Float64Array;
}

/** One side of a sharing pair: what was accessed, where, and the object it belongs to. */
export interface SharingSideColumns {
  readonly type: Uint32Array;
  readonly field: Uint32Array;
  readonly site: Uint32Array;
  /** Allocation site, or where the variable is declared; 0 unknown. */
  readonly allocationSite: Uint32Array;
  /** Thread that allocated it; NO_INDEX for globals and unknown memory. */
  readonly allocationThread: Uint32Array;
  /** Name of the variable; NO_INDEX for heap and unknown memory. */
  readonly variable: Uint32Array;
}

export interface SharingColumns {
  /** Index into CLASSES. */
  readonly class: Uint8Array;
  /** Index into RELATIONS. */
  readonly relation: Uint8Array;
  readonly misses: Float64Array;
  readonly missed: SharingSideColumns;
  readonly writer: SharingSideColumns;
}

export const OBJECT_KINDS = ['heap', 'global', 'thread-local', 'stack'] as const;

/** Every object that lived, in order of creation; times are replay time in instructions. */
export interface ObjectColumns {
  readonly address: Float64Array;
  readonly sizeBytes: Float64Array;
  /** Index into OBJECT_KINDS. */
  readonly kind: Uint8Array;
  readonly type: Uint32Array;
  /** Allocation site, or where the variable is declared; 0 unknown. */
  readonly site: Uint32Array;
  readonly variable: Uint32Array;
  readonly freeSite: Uint32Array;
  readonly thread: Uint32Array;
  /** Where its thread was then, if threads are on recorded CPUs; else the thread says it: modulo cores. */
  readonly core?: Uint16Array;
  readonly bornAt: Float64Array;
  /** -1: lived to the end. */
  readonly diedAt: Float64Array;
  readonly lives: Float64Array;
  readonly lifetime: Float64Array;
  readonly references: Float64Array;
  /** Bit 0 bounce, bit 1 writeShared, bit 2 a part, bit 3 freed, bit 4 freed on another core. */
  readonly flags: Uint8Array;
  /** String: the functions that led to its allocation, innermost first, one a line; NO_INDEX unknown. */
  readonly callPath: Uint32Array;
}

/** The counters of objects that are not 0. */
export interface ObjectCounterColumns {
  /** Row of the objects. */
  readonly object: Uint32Array;
  /** Index into OBJECT_COUNTERS. */
  readonly counter: Uint8Array;
  readonly value: Float64Array;
}

/** Lines that had to leave: types of the reference that took and of the one that had brought the line. */
export interface TakerColumns {
  /** Index into LEVELS. */
  readonly level: Uint8Array;
  readonly taker: Uint32Array;
  readonly owner: Uint32Array;
  /** Of the level's sets, as setBinsOf cuts them. */
  readonly bin: Uint8Array;
  readonly lines: Float64Array;
}

export interface UnusedBytesColumns {
  readonly type: Uint32Array;
  /** String number; NO_INDEX: of no field. */
  readonly field: Uint32Array;
  readonly fetchedBytes: Float64Array;
  readonly unusedBytes: Float64Array;
}

/** Accesses to addresses that several threads refer to about equally often. */
export interface SharedVariableColumns {
  readonly type: Uint32Array;
  /** String: "stats.hits", "struct args.sx". */
  readonly variable: Uint32Array;
  /** Of no function and no column. */
  readonly site: Uint32Array;
  readonly thread: Uint32Array;
  readonly accesses: Float64Array;
}

export interface SharedAddressFacts extends SharedAddresses {
  /** That there was room for. */
  readonly mostCounts: number;
}

/**
 * Locks by kind, name and type, and their parts, whose `lock` is a row of theirs. All of them, or none: profiles of
 * before have none.
 */
export interface LockColumns {
  readonly locks: {
    /** Sync, of layout.ts. */
    readonly kind: Uint8Array;
    /** What they lie in. */
    readonly type: Uint32Array;
    /** String: "queue.lock", "struct bucket.mutex". */
    readonly name: Uint32Array;
    /** As in LockTable (threads-result.ts). */
    readonly locks: Float64Array;
    readonly acquisitions: Float64Array;
    readonly waits: Float64Array;
    readonly wait: Float64Array;
    readonly longestWait: Float64Array;
    readonly holds: Float64Array;
    readonly hold: Float64Array;
    readonly longestHold: Float64Array;
    readonly unreleased: Float64Array;
  };
  readonly lockThreads: {
    readonly lock: Uint32Array;
    readonly thread: Uint32Array;
    readonly acquisitions: Float64Array;
  };
  /** `callPath`: as of objects. */
  readonly lockCallers: {
    readonly lock: Uint32Array;
    readonly callPath: Uint32Array;
    readonly acquisitions: Float64Array;
  };
  readonly lockData: {
    readonly lock: Uint32Array;
    readonly type: Uint32Array;
    readonly references: Float64Array;
    readonly misses: Float64Array;
    readonly trueSharing: Float64Array;
    readonly falseSharing: Float64Array;
  };
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

export interface Profile extends Partial<LockColumns> {
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
  readonly types: RowTypeColumns;
  readonly sites: SiteColumns;
  /** By type, field, rule, site, core. */
  readonly tallies: TallyColumns;
  /** By misses descending, then the pair. */
  readonly sharing: SharingColumns;
  readonly objects: ObjectColumns;
  /** By object, then counter. */
  readonly objectCounters: ObjectCounterColumns;
  /**
   * Of more objects than memory is for: where they are. Those two then are read, whole, when they are asked for;
   * object-source.ts lists either.
   */
  readonly objectSource?: ObjectSource;
  /** By level, taker, owner, bin. */
  readonly evictions: TakerColumns;
  readonly invalidations: TakerColumns;
  /** By type, field. */
  readonly unusedBytes: UnusedBytesColumns;
  /** If it was collected. */
  readonly flow?: Flow;
  /**
   * Of the types that the tables name, and of those nested in them; by name, kind, size. Profiles before version 6 have
   * none.
   */
  readonly layouts?: readonly TypeLayout[];
  /** If they were asked for; by site, variable, type, thread. */
  readonly sharedVariables?: SharedVariableColumns;
  readonly sharedAddresses?: SharedAddressFacts;
  /** Of a profile from samples: its numbers are estimates, its times nanoseconds, its cores those of `cpus`. */
  readonly sampled?: SampledPart;
}
