// Stage: profile -> views. Rows with classes of misses: those of the miss classification, and functions.

import type { Classified } from './level-misses.js';
import type { ObjectMissRow } from './object-misses.js';

export interface MissClassificationRow extends Classified {
  readonly type: string;
  /**
   * null: the whole type, its fields included; field rows follow it and sum up to at most its numbers. By field: what
   * names none.
   */
  readonly field: string | null;
}

export interface FunctionMissRow extends Classified {
  /** null: the debug information does not say. */
  readonly function: string | null;
}

export interface LineMissRow extends Classified {
  /** "file.c:12"; null: the debug information does not say. */
  readonly line: string | null;
  readonly function: string | null;
}

export interface CoreMissRow extends Classified {
  readonly core: number;
}

export type ClassifiedRow = MissClassificationRow | FunctionMissRow | LineMissRow | CoreMissRow | ObjectMissRow;

export interface FunctionRow extends Classified {
  /** null: the debug information does not say. */
  readonly function: string | null;
  /** All its references count, hits too; `missLatencyCycles` is the part of accesses that missed the L1. */
  readonly latencyCycles: number;
  /** Types that it referenced, and those of them that it missed the L1 on. */
  readonly types: number;
  readonly typesMissed: number;
}
