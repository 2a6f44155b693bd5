// Stage: hardware -> views, validation, histories. What samples come to once each has its type: rows by type, offset,
// instruction, event, data source and CPU, and what is known of objects and code beside them. `dprof sample` makes them
// while the program runs; of imported samples a trace of the same run does (src/validate). docs/hardware-samples.md,
// "Typed samples", defines each number.

import type { TypingRule } from '../../contract/result.js';
import type { ColumnsOf, LostCounts, SampledEvent, SamplingRun, ThreadChange, ThreadName } from './samples.js';

/** A file whose code or data was mapped. */
export interface SampledModule {
  readonly file: string;
  /** Hexadecimal; empty: it has none. */
  readonly buildId: string;
  /** Built with dprof-cc: it has units. */
  readonly isInstrumented: boolean;
  readonly isKernel: boolean;
}

/** Code. Row 0 is unknown: all empty. Functions are spelled as traces spell them. */
export interface SampledPlace {
  /** Address of the instruction itself, in hexadecimal. */
  readonly ip: string;
  /** The function whose source line it is: an inlined function counts as itself. */
  readonly function: string;
  /** The function whose code it is. */
  readonly within: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Row of the modules; -1: none. */
  readonly module: number;
  /** In the module's file. */
  readonly offset: number;
}

export interface SampledField {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Objects of a type: the interposer counted all of them, sampled or not. */
export interface SampledLives {
  readonly allocations: number;
  readonly frees: number;
  readonly peakObjects: number;
  readonly peakBytes: number;
  /** Time-weighted averages over the run. */
  readonly averageObjects: number;
  readonly averageBytes: number;
  /** Sum over its objects, to the end of the run if they were never freed. */
  readonly lifetimeNs: number;
  /**
   * Objects that were sampled; those of them on two CPUs or more; those with a sampled store and samples of two CPUs on
   * one line.
   */
  readonly sampledObjects: number;
  readonly bouncedObjects: number;
  readonly writeSharedObjects: number;
}

/** Row 0: untyped (name ''). */
export interface SampledType {
  /** As reports spell it: `struct packet`, `heap-64@grow`, `int[]`. */
  readonly name: string;
  readonly rule: TypingRule;
  /** 0: unknown, or of no one size. */
  readonly bytes: number;
  /** Leaves, ascending by offset; of unions all. */
  readonly fields: readonly SampledField[];
  /** null: objects are not known (variables of one object have them). */
  readonly lives: SampledLives | null;
}

/** One row for each distinct (type, offset, place, event, dataSource, cpu), in that order. */
export const TYPED_ROWS = {
  type: 'u32',
  /** In the type: of an array in its element; of type 0 and of types without a size, 0. */
  offset: 'u64',
  place: 'u32',
  event: 'u16',
  /** As in samples; `servedBy`, operation and so on follow from it. */
  dataSource: 'u64',
  cpu: 'u32',
  samples: 'u32',
  /**
   * Sum of the periods: the events that these samples stand for; and of their squares, which is the variance of that.
   */
  period: 'u64',
  periodSquares: 'f64',
  /** Sum of the latencies, in cycles, and of their squares. */
  weight: 'u64',
  weightSquares: 'f64',
} as const;

/**
 * Objects, drawn so that each object of a type has the same chance: all of them, or `mostObjects` of each type. By
 * type, then birth.
 */
export const TYPED_OBJECTS = {
  type: 'u32',
  address: 'u64',
  bytes: 'u64',
  bornNs: 'u64',
  /** 0: lived to the end. */
  diedNs: 'u64',
  thread: 'u32',
  cpu: 'u32',
  allocatedAt: 'u32',
  /** Places; 0 unknown. */
  freedAt: 'u32',
  samples: 'u32',
} as const;

export type TypedRowColumns = ColumnsOf<typeof TYPED_ROWS>;
export type TypedObjectColumns = ColumnsOf<typeof TYPED_OBJECTS>;

/**
 * Why a sample is of type 0, ascending by reason: `no-address`, `kernel`, `stack`, `freed`, `unknown-memory`,
 * `other-process`, …
 */
export type UntypedReasons = Readonly<Record<string, number>>;

/** Everything but rows and objects: what a file's directory holds. */
export interface TypedTables {
  readonly modules: readonly SampledModule[];
  readonly places: readonly SampledPlace[];
  readonly types: readonly SampledType[];
  readonly untyped: UntypedReasons;
  readonly mostObjects: number;
  /** The program's run, in nanoseconds of the run's clock. */
  readonly startNs: string;
  readonly endNs: string;
  /** How it ended: as RunFacts.ended. */
  readonly ended: string;
  readonly threads: number;
  readonly cpus: number;
  /** Time stamp counter at startNs and endNs, so that a trace of the same run can be laid beside it; '0': unknown. */
  readonly startStamp: string;
  readonly endStamp: string;
  /** The trace that was recorded at the same time. */
  readonly trace: string | null;
  readonly aslr: boolean;
  /** Allocation events that came too late for their time, sites that could not be asked for, and the like. */
  readonly notes: Readonly<Record<string, number>>;
}

export interface TypedSamples extends TypedTables {
  readonly run: SamplingRun;
  readonly events: readonly SampledEvent[];
  readonly lost: LostCounts;
  readonly names: readonly ThreadName[];
  readonly changes: readonly ThreadChange[];
  readonly rows: TypedRowColumns;
  readonly objects: TypedObjectColumns;
}

/** The field that holds an offset; of a union the first; null: padding, or a type without fields. */
export function sampledFieldAt({ fields }: SampledType, offset: number): SampledField | null {
  return fields.find((field) => field.offset <= offset && offset < field.offset + Math.max(field.bytes, 1)) ?? null;
}
