// Stage: profile. What a profile from samples has beside its estimates: how it was sampled, and in the rows of its own
// tables how sure each number is. docs/sampled-views.md defines each number.

import { LEVELS } from '../replay/machine.js';
import { COUNTERS } from '../replay/result.js';

/** Estimates that only samples have; `unknown`: references of which no one knows whether they missed the level. */
export const SAMPLED_COUNTERS: readonly string[] = [
  'kindUnknown', // neither load nor store, as far as anyone knows
  ...LEVELS.flatMap((level) => [`${level}.unknownLoads`, `${level}.unknownStores`, `${level}.unclassified`]),
  'served.unknown',
  'timed', // references of which the latency is known
  'timedMisses', // and that missed the L1
];

/** In this order stand the numbers of a row of `variance` and `samples`. */
export const ESTIMATES: readonly string[] = [...COUNTERS, ...SAMPLED_COUNTERS];

/** Estimates of latency, and what they are the latency of. */
export const LATENCIES = { latencyCycles: 'timed', missLatencyCycles: 'timedMisses' } as const;
export const LATENCY_NAMES = Object.keys(LATENCIES) as (keyof typeof LATENCIES)[];

/** By row of the tallies, row-major. */
export interface SampledTallyColumns {
  /** SAMPLED_COUNTERS. */
  readonly extra: Float64Array;
  /**
   * ESTIMATES: of each its variance, and the samples behind it (fractions, where misses were shared out to classes).
   */
  readonly variance: Float64Array;
  readonly samples: Float64Array;
  /** LATENCY_NAMES: of each with what it is the latency of. */
  readonly covariance: Float64Array;
}

/** Exact: the interposer counted them. By type. */
export interface SampledLifeColumns {
  readonly type: Uint32Array;
  readonly allocations: Float64Array;
  readonly frees: Float64Array;
  readonly peakObjects: Float64Array;
  readonly peakBytes: Float64Array;
  readonly averageObjects: Float64Array;
  readonly averageBytes: Float64Array;
  readonly lifetimeNs: Float64Array;
  readonly sampledObjects: Float64Array;
  readonly bouncedObjects: Float64Array;
  readonly writeSharedObjects: Float64Array;
}

/** By row of the flow's steps. */
export interface SampledStepColumns {
  /** As histories count them, met by a sample or not. */
  readonly references: Float64Array;
  /** What its shares come from, and its latency. */
  readonly samples: Float64Array;
  readonly timed: Float64Array;
  /** Of the mean latency. */
  readonly latencyVariance: Float64Array;
}

/**
 * By row of the flow's paths: histories that tell it from others, and all of its type that tell paths apart. Of
 * histories that fit several, parts.
 */
export interface SampledPathColumns {
  readonly histories: Float64Array;
  readonly ofHistories: Float64Array;
}

/** Of the average lines of a type in a level: what 95 % of the simulations lie between. */
export interface SampledResidencyColumns {
  readonly level: Uint8Array;
  readonly type: Uint32Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export interface SampledTables {
  readonly tallies: SampledTallyColumns;
  readonly lives: SampledLifeColumns;
  readonly steps: SampledStepColumns;
  readonly paths: SampledPathColumns;
  readonly residency: SampledResidencyColumns;
}

export interface SampledEventFacts {
  readonly name: string;
  readonly source: string;
  readonly samples: number;
  /** Events that a sample stands for, on average. */
  readonly period: number;
}

/** Of the simulation of the working set. */
export interface SimulationFacts {
  readonly seed: number;
  readonly repetitions: number;
  /** Of each: objects that lived in its part of the run, and how long that was. */
  readonly objects: number;
  readonly windowNs: number;
  /**
   * Types of which no history says how their objects are used: every offset that samples met is touched once, evenly
   * over the life.
   */
  readonly withoutPaths: readonly string[];
  /** Types whose objects are not known. */
  readonly withoutObjects: readonly string[];
}

/** Everything but tables. */
export interface SamplingFacts {
  readonly confidence: number;
  /** Samples, those of them without type, and lost: at least so many. */
  readonly samples: number;
  readonly untyped: number;
  readonly lost: number;
  readonly events: readonly SampledEventFacts[];
  /** Of a sample that was not drawn: what it would have stood for. */
  readonly loadPeriod: number;
  readonly storePeriod: number;
  /** By estimate: why no sample can say it. Dotted names as in rows: "misses.l2.stores". */
  readonly unknown: Readonly<Record<string, string>>;
  /** null: none were given. */
  readonly histories: {
    readonly histories: number;
    readonly elements: number;
    readonly types: readonly string[];
  } | null;
  readonly simulation: SimulationFacts | null;
  readonly clock: string;
}

export interface SampledPart extends SampledTables {
  readonly facts: SamplingFacts;
}

export const SAMPLED_TABLES = [
  'tallies',
  'lives',
  'steps',
  'paths',
  'residency',
] as const satisfies readonly (keyof SampledTables)[];

const position = new Map(ESTIMATES.map((name, index) => [name, index]));

export function estimateIndex(name: string): number {
  const index = position.get(name);
  if (index === undefined) throw new RangeError(`no estimate is named ${name}`);
  return index;
}
