// Stage: HTML page. What pages of a profile from samples say otherwise: that they are sampled, and each number's
// interval beside it.

import type { Interval } from '../src/base/intervals.js';
import { formatBytes } from '../src/report/format-number.js';
import { formatBounds, formatEstimate, formatEstimatedShare, formatMean } from '../src/report/format-estimate.js';
import { describeSamples } from '../src/report/sampled-lines.js';
import type { View } from '../src/views/view.js';
import { element } from './elements.js';

/** Sums of several places, and shares: where their intervals are. */
const PLACES: Readonly<Record<string, string>> = {
  'references.loads+references.stores': 'total.references',
  ...Object.fromEntries(
    ['l1', 'l2', 'llc'].flatMap((level) => [
      [`misses.${level}.loads+misses.${level}.stores`, `total.${level}Misses`],
      [`levels.${level}.misses`, `total.${level}Misses`],
    ]),
  ),
  'misses.l1.loads+misses.l1.stores/totals.levels.l1.misses': 'share.ofL1Misses',
  'levels.l1.misses/totals.levels.l1.misses': 'share.ofL1Misses',
  'misses.l1.loads+misses.l1.stores/references.loads+references.stores': 'share.missRate',
};

/** undefined: the row is of no samples. null: it has none for this. */
export function intervalOf(row: unknown, id: string): Interval | null | undefined {
  const intervals = (row as { readonly intervals?: object } | null)?.intervals;
  if (intervals === undefined) return undefined;
  const served = /^served\.([\w-]+)\/references$/.exec(id);
  const path = served === null ? (PLACES[id] ?? id) : `hit.${served[1]}`;
  const found = path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], intervals);
  return Array.isArray(found) ? (found as unknown as Interval) : null;
}

const SPELL = {
  count: formatEstimate,
  average: formatMean,
  share: formatEstimatedShare,
  bytes: (value: number, interval: Interval | null) =>
    `~${formatBytes(value)}${interval === null || value === 0 ? '' : ` ${formatBounds(value, interval)}`}`,
} as const;

export const SAMPLED_UNITS = Object.keys(SPELL) as (keyof typeof SPELL)[];

/** Numbers of rows from samples that were counted, not drawn. */
const COUNTED = [
  'objects',
  'lives',
  'frees',
  'liveObjects',
  'workingSetBytes',
  'averageLiveObjects',
  'peakLiveObjects',
  'averageLiveBytes',
  'peakLiveBytes',
  'averageLifetimeNanoseconds',
  'steps.length',
];

/** null: the row is of no samples, or this number was counted. */
export function spellSampled(row: unknown, id: string, unit: keyof typeof SPELL, value: number | null): string | null {
  const interval = intervalOf(row, id);
  if (interval === undefined || (interval === null && COUNTED.includes(id))) return null;
  return value === null ? '-' : SPELL[unit](value, interval);
}

/** "~" before a number of a part of a graph from samples. */
export function about(part: object): string {
  return 'intervals' in part ? '~' : '';
}

export function sampledNotice({ sampled }: Pick<View<unknown>, 'sampled'>): HTMLElement | null {
  if (sampled === undefined) return null;
  return element(
    'p',
    { class: 'note sampled' },
    element('strong', {}, 'Sampled. '),
    `${describeSamples(sampled)}. Every number with ~ is an estimate, ± is its ${Math.round(100 * sampled.confidence)} % interval; - is what no sample can say.`,
  );
}
