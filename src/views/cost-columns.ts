// Stage: profile -> views. The columns that rows are ranked by: what a row costs, its share of all, and which level and
// class most of it is.

import { plural } from '../base/format-number.js';
import { column, count, share, type Column } from './columns.js';
import { spellCostliest, type Costliest } from './level-cycles.js';
import type { View } from './view.js';

interface Costing {
  readonly missLatencyCycles: number;
}

/** `expendable`: of the number itself and of its share, where text may leave them out. */
export function cycleColumns<Row extends Costing>(
  { totals }: View<unknown>,
  { number, ofAll }: { readonly number?: number; readonly ofAll?: number } = {},
): Column<Row>[] {
  const { missLatencyCycles: all } = totals;
  return [
    count('est. cycles', 'missLatencyCycles', {
      meaning: 'latency of the accesses that missed the L1.',
      all,
      ...(number !== undefined && { expendable: number }),
    }),
    share(
      'of all',
      'missLatencyCycles',
      { paths: ['totals.missLatencyCycles'], envelope: { totals } },
      {
        meaning: `of ${plural(all, 'estimated cycle')}.`,
        all: { part: all, whole: all },
        ...(ofAll !== undefined && { expendable: ofAll }),
      },
    ),
  ];
}

/** `expendable`: without, text always has it. */
export function costliestColumn<Row extends { readonly costliest: Costliest }>(
  { totals }: View<unknown>,
  expendable?: number,
): Column<Row> {
  return {
    ...column('words', 'costliest', 'most of it', ({ costliest }: Row) => spellMost(costliest), {
      meaning: "the level and class whose misses cost most, and their part of the row's cycles beyond the L1.",
      all: spellMost(totals.costliest),
      width: 26,
      briefWords: { longest: 17, words: { 'true sharing': 'true sh.', 'false sharing': 'false sh.' } },
      ...(expendable !== undefined && { expendable }),
    }),
    sortKey: ({ costliest }) => costliest.cycles,
  };
}

/** Whole percents: "L2 conflict 92%". */
function spellMost(costliest: Costliest): string | null {
  const most = spellCostliest(costliest);
  if (most === null) return null;
  const percent = Math.round(100 * costliest.share);
  return `${most} ${percent === 100 && costliest.share < 1 ? '>99' : percent}%`;
}
