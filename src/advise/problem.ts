// Stage: profile -> advice. A problem: one class of misses of one struct, array or variable that costs enough to look
// at.

import type { LevelName, MissClass } from '../contract/machine.js';
import type { CostRow } from '../views/class-costs.js';
import type { SharingSide } from '../views/sharing-rows.js';

export const FINDING_KINDS = [
  'false-sharing',
  'lock-and-data',
  'true-sharing',
  'cold-sharing',
  'conflict',
  'capacity',
  'unused-bytes',
  'streaming',
  'straddling',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** What is changed: a struct by its name, an array or a variable by its own. */
export interface Subject {
  readonly type: string;
  /** Structs, unions and classes have fields. */
  readonly isRecord: boolean;
  /** Of an array or a variable: as --pad-rows takes it. */
  readonly name: string | null;
  /** The place that allocates an array. */
  readonly allocatedAt: string | null;
}

export interface Problem extends Subject {
  readonly kind: FindingKind;
  readonly class: MissClass;
  /** The level whose misses of the class cost most. */
  readonly level: LevelName;
  /** Estimated cycles of the class, at all levels. */
  readonly cycles: number;
  /** Of all estimated cycles of the run. */
  readonly cyclesShare: number;
  readonly misses: number;
  /** Of all misses of the level. */
  readonly missesShare: number;
  /** The line with most of these cycles. */
  readonly site: string | null;
  readonly function: string | null;
  /** Of a struct: those with most cycles first. */
  readonly fields: readonly string[];
  /** Of sharing: the accesses that miss and store most. */
  readonly sides: { readonly missed: SharingSide; readonly writer: SharingSide } | null;
  readonly row: CostRow;
}

/** The same subject and class in the profiles of two replays. */
export function problemKey({
  type,
  name,
  allocatedAt,
  class: own,
}: Pick<Problem, 'type' | 'name' | 'allocatedAt' | 'class'>): string {
  return JSON.stringify([type, name, allocatedAt, own]);
}
