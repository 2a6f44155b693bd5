// Stage: HTML page. Counts of two runs as they stand, or per unit of work where the comparison was made so: the
// reader's choice.

import type { BeforeAfter, CountChange } from '../../src/diff/change.js';
import type { Diff } from '../../src/diff/diff.js';
import { formatCount, formatRate } from '../../src/base/format-number.js';
import { spellVisibly as spellName } from '../../src/report/visible-text.js';
import type { Words } from '../takeaway.js';

export interface Numbers {
  readonly isPerWork: boolean;
  readonly unit: 'count' | 'rate';
  /** Gives the place in a row of a count's three numbers. */
  readonly at: (path: string) => string;
  readonly of: (count: CountChange) => BeforeAfter;
  readonly spell: (size: number) => string;
  /** "L1 misses"[ per mark "request"]. */
  readonly per: Words;
}

export const AS_COUNTED = 'counted';

export function askedNumbers({ per }: Pick<Diff, 'per'>, words: URLSearchParams): Numbers {
  if (per === null || words.get('numbers') === AS_COUNTED)
    return { isPerWork: false, unit: 'count', at: (path) => path, of: (count) => count, spell: formatCount, per: [] };
  const { by, name } = per;
  return {
    isPerWork: true,
    unit: 'rate',
    at: (path) => `${path}.perWork`,
    of: (count) => count.perWork ?? count,
    spell: formatRate,
    per: by === 'mark' ? [' per ', { name: name! }] : [` per 1,000 ${by}`],
  };
}

/** " per request", where there is no room for more than text. */
export function spellPer({ per }: Numbers): string {
  return per.map((word) => (typeof word === 'string' ? word : spellName(word.name))).join('');
}
