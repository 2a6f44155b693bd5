// Stage: HTML page. The units of numbers in cells, and their spellings.

import { formatBytes, formatCount, formatRate } from '../src/base/format-number.js';
import { spellAverage } from './words.js';

/**
 * The kind of number in a cell. `rate` is per unit of work, or an average with more decimals than `average`; `-change`
 * shows the sign.
 */
const CHANGING_UNITS = ['count', 'bytes', 'average', 'rate'] as const;
export type ChangingUnit = (typeof CHANGING_UNITS)[number];
export const NUMERIC_UNITS = [
  ...CHANGING_UNITS,
  'share',
  'ratio',
  'time',
  'count-change',
  'bytes-change',
  'average-change',
  'rate-change',
] as const;
export type Unit = (typeof NUMERIC_UNITS)[number] | 'name' | 'words';

export const SPELL: Readonly<Record<ChangingUnit, (value: number) => string>> = {
  count: formatCount,
  bytes: formatBytes,
  average: spellAverage,
  rate: formatRate,
};
