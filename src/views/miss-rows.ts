// Stage: profile -> views. Rows with classes of misses: those of the miss classification, and functions.

import type { Classified } from './level-misses.js';
import type { WithMostMisses } from './most-misses.js';
import type { PathFrame } from './frames.js';
import type { ObjectMissRow } from './object-misses.js';
import type { SiteMissRow } from './site-misses.js';
import type { WithRunCycles } from './run-time.js';
import type { RowSite } from './split-rows.js';

/** `site` and what else says where it was allocated: only rows of scalars, which are told apart by it. */
export interface MissClassificationRow extends Classified, Partial<RowSite>, WithMostMisses {
  readonly type: string;
  /**
   * null: the whole type, its fields included; field rows follow it and sum up to at most its numbers. By field: what
   * names none.
   */
  readonly field: string | null;
}

/** A function that was inlined into the one that is charged, at the access itself. */
export interface InlinedFrame extends PathFrame {
  /** L1 misses of its accesses that the row counts. */
  readonly misses: number;
  /** From it to the function that is charged. */
  readonly callPath: readonly PathFrame[];
}

export interface FunctionMissRow extends Classified {
  /** null: the debug information does not say. */
  readonly function: string | null;
  /** By misses. */
  readonly inlined: readonly InlinedFrame[];
}

export interface LineMissRow extends Classified {
  /** "file.c:12"; null: the debug information does not say. */
  readonly line: string | null;
  readonly function: string | null;
  readonly inlined: readonly InlinedFrame[];
}

export interface CoreMissRow extends Classified {
  readonly core: number;
}

export type ClassifiedRow =
  | MissClassificationRow
  | FunctionMissRow
  | LineMissRow
  | CoreMissRow
  | ObjectMissRow
  | SiteMissRow;

export interface FunctionRow extends FunctionMissRow, WithRunCycles {
  /** All its references count, hits too; `missLatencyCycles` is the part of accesses that missed the L1. */
  readonly latencyCycles: number;
  /** Types that it referenced, and those of them that it missed the L1 on. */
  readonly types: number;
  readonly typesMissed: number;
}
