// Stage: all. A number that was drawn, and between which bounds it is likely to be: what samples say instead of a
// count.

import type { Interval } from './intervals.js';

export interface Estimate {
  readonly value: number;
  /** null: unknown, as for the mean of one sample. */
  readonly low: number | null;
  readonly high: number | null;
}

/** A count, or an estimate of one; null: unknown. */
export type Quantity = number | Estimate | null;

export function estimateOf(value: number, interval?: Interval | null): Estimate {
  return { value, low: interval?.[0] ?? null, high: interval?.[1] ?? null };
}

export function isEstimate(value: unknown): value is Estimate {
  return typeof value === 'object' && value !== null && 'low' in value && 'high' in value;
}

/** null: its bounds are not known. */
export function boundsOf({ low, high }: Estimate): Interval | null {
  return low === null || high === null ? null : [low, high];
}
