// Stage: HTML page. The sentences to take away, by rules from the views: the type, its share of the estimated cycles,
// the level and class that most of it is, their meaning, and the page that says more.

import { formatCount, formatShare, plural } from '../src/base/format-number.js';
import { CLASSES, type LevelName, type MissClass } from '../src/contract/machine.js';
import { LEVEL_NAMES } from '../src/views/class-names.js';
import type { DataProfile } from '../src/views/data-profile.js';
import { spellCostliest } from '../src/views/level-cycles.js';
import type { Sharing } from '../src/views/sharing-rows.js';
import { spellRow } from '../src/views/split-rows.js';
import type { View } from '../src/views/view.js';
import { CLASS_MEANINGS, CLASS_NAMES } from './classes.js';
import type { MissClassificationRow } from '../src/views/miss-rows.js';

/** Names of the program stand apart from the report's own words. */
export type Words = readonly (string | { readonly name: string })[];

export interface Takeaway {
  readonly sentence: Words;
  /** Further sentences: what the class means here, and what to beware of. */
  readonly further: readonly Words[];
  readonly next: { readonly page: string; readonly type: string | null; readonly label: string } | null;
}

/** Below this share of the estimated cycles no type is worth a sentence of its own. */
const STANDS_OUT = 0.05;
/** Below this share of the references, misses matter little. */
const RARE = 0.005;
const MOSTLY = 0.5;

/** The page that says more of a type's misses of the class. */
export const NEXT: Record<MissClass, { page: string; label: string }> = {
  compulsory: { page: 'working-set', label: 'Working set: how many of its objects there are, and for how long' },
  'true-sharing': { page: 'sharing', label: 'Sharing: who stores what the others read' },
  'false-sharing': { page: 'struct-layout', label: 'Struct layout: which fields lie on one line' },
  conflict: { page: 'sets', label: 'Associativity sets: where its lines crowd' },
  capacity: { page: 'working-set', label: 'Working set: what fills the cache' },
};

const REMEDIES: Record<MissClass, string> = {
  compulsory: 'Fewer or smaller objects, or memory that is used again while it is still warm, would miss less.',
  'true-sharing': 'Only less communication helps: data for each core, batches, or work that stays where its data is.',
  'false-sharing': 'Padding or another order of the fields would keep them apart.',
  conflict: 'Other alignments or strides would spread the lines over all sets.',
  capacity: 'Smaller or fewer objects in use at a time, or work in blocks, would fit.',
};

export function takeAway(
  profile: DataProfile,
  classes: View<MissClassificationRow>,
  sharing: Sharing,
  pages: readonly string[],
): Takeaway {
  const { totals } = profile;
  const misses = totals.levels.l1.misses;
  if (totals.references === 0)
    return {
      sentence: ['Nothing was recorded: the program made no reference that dprof saw.'],
      further: [],
      next: null,
    };
  if (misses === 0)
    return { sentence: [`None of ${plural(totals.references, 'reference')} missed the L1.`], further: [], next: null };
  const ranked = classes.rows.filter(({ field, costliest }) => field === null && costliest.class !== null);
  const [worst] = ranked;
  const { missLatencyCycles: cycles } = totals;
  const { missLatencyCycles: own } = worst;
  const warnings = [...rarely(misses, totals.references), ...cautions(profile)];
  if (own < STANDS_OUT * cycles) {
    const most = mostOf(totals);
    return {
      sentence: [
        `No type stands out: the first of ${formatCount(ranked.length)}, `,
        { name: spellRow(worst) },
        `, costs ${formatShare(own, cycles)} of ${plural(cycles, 'estimated cycle')}; over all types most of it is ` +
          `by ${most.spelled} misses (${most.share}).`,
      ],
      further: [meaningOf(most.class), ...warnings],
      next: { page: 'data-profile', type: null, label: 'Data profile: all types' },
    };
  }
  const most = mostOf(worst);
  const next = NEXT[most.class];
  const { misses: missed } = worst.levels[most.level];
  return {
    sentence: [
      { name: spellRow(worst) },
      ` costs ${formatShare(own, cycles)} of ${plural(cycles, 'estimated cycle')}, ` +
        `${worst.costliest.share >= MOSTLY ? 'most' : 'the largest part'} of it by ${most.spelled} misses (` +
        `${most.share}): ${formatCount(worst.levels[most.level].classes[most.class])} of its ` +
        `${plural(missed, `${LEVEL_NAMES[most.level]} miss`)}.`,
    ],
    further: [
      meaningOf(most.class),
      ...worstField(classes, worst),
      ...worstPair(sharing, worst.type, most.class),
      ...warnings,
    ],
    next: pages.includes(next.page)
      ? { ...next, type: worst.type }
      : { page: 'miss-classes', type: null, label: 'Miss classes: every type and field' },
  };
}

/** Of something that missed. */
function mostOf({ costliest }: Pick<MissClassificationRow, 'costliest'>): {
  readonly level: LevelName;
  readonly class: MissClass;
  readonly spelled: string;
  readonly share: string;
} {
  return {
    level: costliest.level!,
    class: costliest.class!,
    spelled: spellCostliest(costliest)!,
    share: formatShare(costliest.share, 1),
  };
}

function meaningOf(name: MissClass): Words {
  return [`${capitalise(CLASS_NAMES[name])}: ${CLASS_MEANINGS[name]}. ${REMEDIES[name]}`];
}

function capitalise(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

function worstField(
  { rows }: View<MissClassificationRow>,
  { type, missLatencyCycles }: MissClassificationRow,
): Words[] {
  const field = rows.find((row) => row.type === type && row.field !== null);
  if (field === undefined || field.missLatencyCycles === 0) return [];
  return [
    [
      'Its field that costs most is ',
      { name: field.field! },
      `: ${formatShare(field.missLatencyCycles, missLatencyCycles)} of the type's estimated cycles.`,
    ],
  ];
}

function worstPair({ rows }: Sharing, type: string, leading: MissClass): Words[] {
  const pair = rows.find((row) => row.class === leading && row.missed.type === type);
  if (pair === undefined) return [];
  const side = ({ function: name, site }: Sharing['rows'][number]['missed']): Words => [
    { name: name ?? 'an unknown function' },
    ...(site === null ? [] : [' (', { name: site.slice(site.lastIndexOf('/') + 1) }, ')']),
  ];
  return [
    [
      'Most often ',
      ...side(pair.missed),
      ' misses after a store by ',
      ...side(pair.writer),
      `: ${plural(pair.misses, 'miss')}.`,
    ],
  ];
}

function rarely(misses: number, references: number): Words[] {
  return misses >= RARE * references
    ? []
    : [
        [
          `But misses are rare: ${formatShare(misses, references)} of ${plural(references, 'reference')} ` +
            'missed the L1.',
        ],
      ];
}

/** Facts that weaken the sentence above. */
function cautions({ typing, truncated, damaged, leftOut, windows, window, orderBound, totals }: DataProfile): Words[] {
  const { of, groups } = typing.l1Misses;
  const unnamed = groups.scalar + groups.untyped;
  const sharing = CLASSES.filter((name) => name.endsWith('sharing')).reduce(
    (sum, name) => sum + totals.levels.l1.classes[name],
    0,
  );
  return [
    ...(truncated ? [['The trace was cut: all numbers are of the part that was recorded.']] : []),
    ...(damaged ? [['Parts of the trace are damaged: all numbers are of the rest.']] : []),
    ...(leftOut
      ? [[`${leftOut.processes} of ${leftOut.ofProcesses} processes are left out: all numbers are of the rest.`]]
      : []),
    ...(windows.closed > 0 || window !== undefined ? [['All numbers are of a part of the run only.']] : []),
    ...(unnamed > MOSTLY * of
      ? [[`${formatShare(unnamed, of)} of the L1 misses are of data without a type's name.`]]
      : []),
    ...(sharing > 0 && orderBound.orderBoundTransfers > MOSTLY * orderBound.transfers
      ? [
          [
            `${formatShare(orderBound.orderBoundTransfers, orderBound.transfers)} of the transfers between ` +
              'cores were bound by locks, atomics or system calls: their order is as recorded.',
          ],
        ]
      : []),
  ];
}
