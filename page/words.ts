// Stage: HTML page. Counts in sentences.

import { formatCount } from '../src/base/format-number.js';

/** One decimal, grouped. */
export function spellAverage(value: number | null): string {
  if (value === null) return '-';
  const [whole, tenths] = value.toFixed(1).split('.');
  return `${formatCount(Number(whole))}.${tenths}`;
}

/** "0.25 x"; "-" of nothing. */
export function spellRatio(ratio: number | null): string {
  return ratio === null ? '-' : `${ratio.toFixed(2)} x`;
}
