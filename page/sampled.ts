// Stage: HTML page. What pages of a profile from samples say besides: that they are sampled, and that numbers outside
// of tables are estimates.

import { estimateOf, type Quantity } from '../src/base/estimate.js';
import type { LevelName } from '../src/contract/machine.js';
import type { SamplingFacts } from '../src/profile/sampled.js';
import { describeSamples } from '../src/report/sampled-lines.js';
import { spellValue } from '../src/report/spell-value.js';
import { count, measure } from '../src/views/columns.js';
import { boundsAt } from '../src/views/row-estimates.js';
import type { SampledTotals, ViewTotals } from '../src/views/view.js';
import { element } from './elements.js';

/** "~" before a number of a part of a graph from samples. */
export function about(part: object): string {
  return 'intervals' in part ? '~' : '';
}

type Spelled = 'count' | 'bytes' | 'cycles';

/** The number at a path of a row, spelled as tables spell it: of samples an estimate. */
export function spellAt(row: object, path: string, unit: Spelled = 'count'): string {
  const column = unit === 'count' ? count<object>('', path) : measure<object>(unit, '', path);
  return spellValue(column, column.value(row));
}

/** A sum over rows: of samples an estimate whose bounds nobody knows. */
export function spellSum(sum: number, { sampled }: { readonly sampled?: SamplingFacts }, unit: Spelled): string {
  return spellValue({ unit }, sampled === undefined ? sum : estimateOf(sum));
}

/** A share of such sums. */
export function spellPart(part: number, whole: number, { sampled }: { readonly sampled?: SamplingFacts }): string {
  if (sampled === undefined) return spellValue({ unit: 'share' }, { part, whole });
  return spellValue({ unit: 'share' }, whole === 0 ? null : estimateOf(part / whole));
}

export function missesAt(level: LevelName, totals: ViewTotals | SampledTotals): Quantity {
  const { misses } = totals.levels[level];
  if (misses === null || !('intervals' in totals)) return misses;
  return estimateOf(misses, boundsAt(totals.intervals, `levels.${level}.misses`));
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
