// Stage: HTML page. The parts that a profile from samples adds to pages: the note that it is sampled, and the interval
// beside each number.

import { estimateOf } from '../src/base/estimate.js';
import { formatEstimate, formatEstimatedBytes, formatEstimatedShare, formatMean } from '../src/base/format-estimate.js';
import { describeSamples } from '../src/report/sampled-lines.js';
import { intervalAt } from '../src/views/row-estimates.js';
import type { SamplingFacts } from '../src/profile/sampled.js';
import { element } from './elements.js';

const SPELL = {
  count: formatEstimate,
  average: formatMean,
  share: formatEstimatedShare,
  bytes: formatEstimatedBytes,
} as const;

export const SAMPLED_UNITS = Object.keys(SPELL) as (keyof typeof SPELL)[];

/** null: the row is of no samples, or this number was counted. */
export function spellSampled(row: unknown, id: string, unit: keyof typeof SPELL, value: number | null): string | null {
  const interval = intervalAt(row, id);
  if (interval === undefined) return null;
  return value === null ? '-' : SPELL[unit](estimateOf(value, interval));
}

/** "~" before a number of a part of a graph from samples. */
export function about(part: object): string {
  return 'intervals' in part ? '~' : '';
}

export function sampledNotice({ sampled }: { readonly sampled?: SamplingFacts }): HTMLElement | null {
  if (sampled === undefined) return null;
  return element(
    'p',
    { class: 'note sampled' },
    element('strong', {}, 'Sampled. '),
    `${describeSamples(sampled)}. Every number with ~ is an estimate, ± is its ` +
      `${Math.round(100 * sampled.confidence)} % interval; - is what no sample can say.`,
  );
}
