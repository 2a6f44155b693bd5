// Stage: HTML page. The sentences to take away, by rules from the views: the type, its share of the L1 misses, the
// leading class, its meaning, and the page that says more.

import { formatCount, formatShare, plural } from '../src/base/format-number.js';
import { CLASSES, type MissClass } from '../src/contract/machine.js';
import type { DataProfile } from '../src/views/data-profile.js';
import type { Sharing } from '../src/views/sharing.js';
import type { View } from '../src/views/view.js';
import { CLASS_MEANINGS, CLASS_NAMES, leadingClass } from './classes.js';
import type { MissClassificationRow } from '../src/views/miss-rows.js';

/** Names of the program stand apart from the report's own words. */
export type Words = readonly (string | { readonly name: string })[];

export interface Takeaway {
  readonly sentence: Words;
  /** Further sentences: what the class means here, and what to beware of. */
  readonly further: readonly Words[];
  readonly next: { readonly page: string; readonly type: string | null; readonly label: string } | null;
}

/** Below this share of the L1 misses no type is worth a sentence of its own. */
const STANDS_OUT = 0.05;
/** Below this share of the references, misses matter little. */
const RARE = 0.005;
const MOSTLY = 0.5;

const NEXT: Record<MissClass, { page: string; label: string }> = {
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
  const ranked = classes.rows.filter(({ field, levels }) => field === null && levels.l1.misses > 0);
  const [worst] = ranked;
  const { misses: own, classes: ownClasses } = worst.levels.l1;
  const warnings = [...rarely(misses, totals.references), ...cautions(profile)];
  if (own < STANDS_OUT * misses) {
    const leading = leadingClass(totals.levels.l1.classes)!;
    return {
      sentence: [
        `No type stands out: the first of ${formatCount(ranked.length)}, `,
        { name: worst.type },
        `, has ${formatShare(own, misses)} of ${plural(misses, 'L1 miss')}; over all types most are ` +
          `${CLASS_NAMES[leading]} (${formatShare(totals.levels.l1.classes[leading], misses)}).`,
      ],
      further: [[`${capitalise(CLASS_NAMES[leading])}: ${CLASS_MEANINGS[leading]}. ${REMEDIES[leading]}`], ...warnings],
      next: { page: 'data-profile', type: null, label: 'Data profile: all types' },
    };
  }
  const leading = leadingClass(ownClasses)!;
  const count = ownClasses[leading];
  const next = NEXT[leading];
  return {
    sentence: [
      { name: worst.type },
      ` takes ${formatShare(own, misses)} of ${plural(misses, 'L1 miss')}, ` +
        `${count >= MOSTLY * own ? 'most' : 'the largest part'} of them by ${CLASS_NAMES[leading]} (` +
        `${formatShare(count, own)}).`,
    ],
    further: [
      [`${capitalise(CLASS_NAMES[leading])}: ${CLASS_MEANINGS[leading]}. ${REMEDIES[leading]}`],
      ...worstField(classes, worst),
      ...worstPair(sharing, worst.type, leading),
      ...warnings,
    ],
    next: pages.includes(next.page)
      ? { ...next, type: worst.type }
      : { page: 'miss-classes', type: null, label: 'Miss classes: every type and field' },
  };
}

function capitalise(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

function worstField({ rows }: View<MissClassificationRow>, { type, levels }: MissClassificationRow): Words[] {
  const field = rows.find((row) => row.type === type && row.field !== null);
  if (field === undefined || field.levels.l1.misses === 0) return [];
  return [
    [
      'Its field with most L1 misses is ',
      { name: field.field! },
      `: ${formatShare(field.levels.l1.misses, levels.l1.misses)} of the type's.`,
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
function cautions({ typing, truncated, damaged, windows, window, orderBound, totals }: DataProfile): Words[] {
  const { of, groups } = typing.l1Misses;
  const unnamed = groups.scalar + groups.untyped;
  const sharing = CLASSES.filter((name) => name.endsWith('sharing')).reduce(
    (sum, name) => sum + totals.levels.l1.classes[name],
    0,
  );
  return [
    ...(truncated ? [['The trace was cut: all numbers are of the part that was recorded.']] : []),
    ...(damaged ? [['Parts of the trace are damaged: all numbers are of the rest.']] : []),
    ...(windows.closed > 0 || window !== undefined ? [['All numbers are of a part of the run only.']] : []),
    ...(unnamed > MOSTLY * of
      ? [[`${formatShare(unnamed, of)} of the L1 misses are of data without a type's name.`]]
      : []),
    ...(sharing > 0 && orderBound.orderBoundTransfers > MOSTLY * orderBound.transfers
      ? [
          [
            `${formatShare(orderBound.orderBoundTransfers, orderBound.transfers)} of the transfers between ` +
              'cores were made under a lock or by an atomic: their order is the recorded one.',
          ],
        ]
      : []),
  ];
}
