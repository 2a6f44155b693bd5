// Stage: profile -> views. Functions: the code profile, for contrast: what each function referenced, missed and cost,
// whatever the data was.

import { formatCount, plural } from '../base/format-number.js';
import type { Profile } from '../profile/profile.js';
import { CLASSES } from '../replay/machine.js';
import { classColumn } from './class-columns.js';
import { column, count, measure, name, share, type Column } from './columns.js';
import { rankSums, sortRanked, sumBy } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { classify, type Classified } from './level-misses.js';
import { selectTallies } from './row-filter.js';
import { spellFunction } from './sites.js';
import { SAMPLED_NOTE } from './sampled-words.js';
import type { View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';

export interface FunctionRow extends Classified {
  /** null: the debug information does not say. */
  readonly function: string | null;
  /** Of all its references, hits included; of them `missLatencyCycles` of the accesses that missed the L1. */
  readonly latencyCycles: number;
  /** Types that it referenced, and those of them that it missed the L1 on. */
  readonly types: number;
  readonly typesMissed: number;
}

export type Functions = View<FunctionRow>;

export function buildFunctions(profile: Profile, options: ViewOptions = {}): Functions {
  const { tallies } = profile;
  const isAsked = selectTallies(profile, options);
  const nameOf = (row: number): string | null =>
    isAsked(row) ? (spellFunction(profile, tallies.site[row]) ?? '') : null;
  const types = new Map<string, { all: Set<number>; missed: Set<number> }>();
  const missed = sumBy(tallies, (row) => (nameOf(row) === null ? null : `${tallies.type[row]} ${nameOf(row)}`));
  for (const [key, sums] of missed) {
    const blank = key.indexOf(' ');
    const [type, name] = [Number(key.slice(0, blank)), key.slice(blank + 1)];
    const own = types.get(name) ?? { all: new Set(), missed: new Set() };
    types.set(name, own);
    own.all.add(type);
    if (sums.misses('l1') > 0) own.missed.add(type);
  }
  const ranked = [...sumBy(tallies, nameOf)].map(([name, sums]) => ({
    rank: rankSums(sums, name),
    row: {
      function: name || null,
      ...classify(sums),
      latencyCycles: sums.get('latencyCycles'),
      types: types.get(name)?.all.size ?? 0,
      typesMissed: types.get(name)?.missed.size ?? 0,
    },
  }));
  return wrapRows(profile, 'functions', sortRanked(ranked, options.sort ?? 'misses'), { sort: options.sort });
}

const MISSES = 'levels.l1.misses';
const REFERENCES = ['references.loads', 'references.stores', 'references.unknown'];
/** Of these no sample says whether they missed the L1. */
const UNCLEAR = ['unknown.l1.loads', 'unknown.l1.stores', 'references.unknown'];

function functionColumns(view: Functions): Column<FunctionRow>[] {
  const { totals, sampled } = view;
  const isSampled = sampled !== undefined;
  const { l1, l2, llc } = totals.levels;
  const references = ({ references: { loads, stores } }: FunctionRow): number => loads + stores;
  return [
    name('function', 'function', { shortest: 16, nothing: '(unknown)', all: 'all functions' }),
    count('L1 misses', MISSES, { all: l1.misses }),
    share(
      'of all',
      MISSES,
      { paths: ['totals.levels.l1.misses'], envelope: view },
      {
        ...(!isSampled && { meaning: `of ${plural(l1.misses, 'L1 miss')}.` }),
        all: { part: l1.misses, whole: l1.misses },
      },
    ),
    count('est. cycles', 'missLatencyCycles', {
      meaning: isSampled ? 'latency of the L1 misses that say it.' : 'latency of the accesses that missed the L1.',
      ...(isSampled && { expendable: 1 }),
      all: totals.missLatencyCycles,
    }),
    count('references', REFERENCES, { expendable: isSampled ? 2 : 1, all: totals.references }),
    share(
      'miss rate',
      MISSES,
      { paths: REFERENCES, without: UNCLEAR },
      {
        meaning: isSampled
          ? 'L1 misses per reference, of those of which a sample says whether they missed.'
          : 'L1 misses per reference of the function.',
        noteRank: isSampled ? -1 : 1,
        expendable: isSampled ? 3 : 2,
        all: { part: l1.misses, whole: totals.references },
      },
    ),
    isSampled
      ? measure('cycles', 'cycles', 'averageLatencyCycles', {
          meaning: 'average latency, of what says its latency.',
          expendable: 4,
        })
      : column(
          'cycles',
          'averageLatencyCycles',
          'cycles',
          (row: FunctionRow) => (references(row) === 0 ? null : row.latencyCycles / references(row)),
          {
            meaning: 'average latency of a reference.',
            where: 'text',
            expendable: 4,
            ...(totals.references > 0 ? { all: totals.latencyCycles / totals.references } : { all: '-' }),
          },
        ),
    // All five or none: one class alone says little.
    ...(isSampled ? [] : CLASSES.map((one) => classColumn<FunctionRow>(one, 'l1', view, { where: 'roomy' }))),
    ...(isSampled
      ? []
      : [
          count<FunctionRow>('L2 misses', 'levels.l2.misses', { expendable: 3, all: l2.misses }),
          count<FunctionRow>('LLC misses', 'levels.llc.misses', { expendable: 5, all: llc.misses }),
          column('words', 'types', 'types', ({ types, typesMissed }: FunctionRow) => `${typesMissed} of ${types}`, {
            meaning: 'that it missed on, of those it referenced.',
            noteRank: 1,
            align: 'right',
            where: 'text',
            expendable: 6,
          }),
        ]),
  ];
}

export const functions: ViewDefinition<Functions> = {
  build: buildFunctions,
  sampled: 'alone',
  filters: ['type', 'field', 'function', 'minShare'],
  isRanked: true,
  table(view, top) {
    const { rows, sampled, sort } = view;
    const shown = rows.slice(0, top);
    const counted = `${shown.length} of ${formatCount(rows.length)} functions`;
    return {
      ...(sampled === undefined
        ? {
            title: `functions: the code profile, by ${sort === 'cycles' ? 'estimated cycles' : 'L1 misses'}`,
            notes: [`${counted}; one that is inlined counts as itself.`],
            hasAll: true,
          }
        : {
            title: 'functions, SAMPLED: the code profile, by L1 misses',
            notes: [`${counted} that samples met.`, SAMPLED_NOTE],
          }),
      columns: functionColumns(view),
      lines: shown,
    };
  },
};
