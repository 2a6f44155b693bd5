// Stage: profile -> views. The rows of the path traces, exact or from histories, and the views that have them.

import type { Server } from '../contract/machine.js';
import type { OBJECT_KINDS } from '../profile/profile.js';
import type { PATH_ENDS } from '../contract/flow-result.js';
import type { Interval } from '../base/intervals.js';
import type { SampledView, View } from './view.js';
import type { FlowTotals } from './flow-facts.js';

export interface PathStep {
  /** null: unknown, or of what was cut. */
  readonly function: string | null;
  readonly file: string | null;
  /** Where the function begins; with --path-by line and ip, of the access. */
  readonly line: number | null;
  /** All references behind the last step that is told. */
  readonly cut: boolean;
  readonly coreChange: boolean;
  /** From the object's first byte on, the second excluded. */
  readonly offsets: readonly [begin: number, end: number];
  readonly averageTimeSinceAllocationInstructions: number;
  /** The references of all objects on the path. */
  readonly references: number;
  readonly served: Readonly<Partial<Record<Server, number>>>;
  /** Shares of `references`. */
  readonly hit: Readonly<Partial<Record<Server, number>>>;
  readonly averageLatencyCycles: number;
}

/** What is known of a path, whoever saw it. */
export interface PathFacts {
  readonly type: string;
  readonly kind: (typeof OBJECT_KINDS)[number];
  readonly variable: string | null;
  /** Lives that took it. */
  readonly frequency: number;
  /** Function; null for variables, and unknown. */
  readonly allocatedBy: string | null;
  /** Where it was allocated, or the variable is declared. */
  readonly allocatedAt: string | null;
  readonly end: (typeof PATH_ENDS)[number];
  readonly freedBy: string | null;
  readonly freedAt: string | null;
  /** Than that of its last reference. */
  readonly freedOnAnotherCore: boolean;
  readonly cut: boolean;
}

export interface PathTraceRow extends PathFacts {
  readonly steps: readonly PathStep[];
  readonly averageLifetimeInstructions: number;
}

/** Beside a path's other numbers. */
export interface SampledPathFacts {
  /**
   * That tell it from other paths, and all of its type's that tell paths apart: those that fit several count for each
   * as far as it is likely.
   */
  readonly histories: number;
  readonly ofHistories: number;
  readonly averageLifetimeNanoseconds: number;
  readonly intervals: { readonly frequency: Interval | null };
}

/** Beside a step's. `hit` and `averageLatencyCycles` are null where no sample says them. */
export interface SampledStepFacts {
  readonly references: number;
  readonly hit: Readonly<Partial<Record<Server, number>>> | null;
  readonly averageLatencyCycles: number | null;
  readonly averageTimeSinceAllocationNanoseconds: number;
  /** Whose server is known, and whose latency is. */
  readonly samples: { readonly served: number; readonly timed: number };
  readonly intervals: {
    readonly hit?: Readonly<Partial<Record<Server, Interval | null>>>;
    readonly averageLatencyCycles?: Interval | null;
  };
}

export interface SampledPathStep
  extends Omit<PathStep, keyof SampledStepFacts | 'averageTimeSinceAllocationInstructions'>,
    SampledStepFacts {
  readonly averageTimeSinceAllocationInstructions: null;
}

export interface SampledPathRow extends PathFacts, SampledPathFacts {
  readonly averageLifetimeInstructions: null;
  readonly steps: readonly SampledPathStep[];
}

export interface PathTraces extends View<PathTraceRow> {
  readonly flow: FlowTotals;
}

export interface SampledPathTraces extends SampledView<SampledPathRow> {
  readonly flow: FlowTotals;
}
