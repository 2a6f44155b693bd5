// Stage: profile -> views. Sharing: which access keeps missing because of which store by another core, both sides
// named.

import { formatCount, plural } from '../base/format-number.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile, SharingSideColumns } from '../profile/profile.js';
import { CLASSES, type MissClass } from '../contract/machine.js';
import { RELATIONS } from '../contract/result.js';
import { CLASS_NAMES } from './class-names.js';
import { column, count, name, share, type Column } from './columns.js';
import { wrapRows } from './envelope.js';
import { allocationPaths, pathLines, type PathFrame } from './frames.js';
import { briefSite, ownSite, spellName } from './sites.js';
import type { View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';

export interface SharingSide {
  readonly type: string;
  readonly field: string | null;
  /** Name of the global, thread-local or stack variable it lies in. */
  readonly variable: string | null;
  readonly function: string | null;
  readonly site: string | null;
  /** The access: from the innermost function that was inlined there, outwards. */
  readonly callPath: readonly PathFrame[];
  /** The site of the object's allocation, or of the variable's declaration. */
  readonly allocatedAt: string | null;
  /** The variable or field that receives what is allocated there. */
  readonly receiver: string | null;
  readonly allocationPath: readonly PathFrame[];
  /** Thread that allocated it; null for globals and unknown memory. */
  readonly allocatedBy: number | null;
}

export interface SharingRow {
  readonly class: MissClass;
  readonly misses: number;
  readonly relation: (typeof RELATIONS)[number];
  readonly missed: SharingSide;
  readonly writer: SharingSide;
}

export type Sharing = View<SharingRow>;

export function buildSharingView(profile: Profile, options: ViewOptions = {}): Sharing {
  const { sharing } = profile;
  const rows = Array.from(sharing.class, (_, row) => ({
    class: CLASSES[sharing.class[row]],
    misses: sharing.misses[row],
    relation: RELATIONS[sharing.relation[row]],
    missed: spellSide(profile, sharing.missed, row),
    writer: spellSide(profile, sharing.writer, row),
  }));
  return wrapRows(profile, 'sharing', rows, { callPath: options.callPath });
}

function spellSide(profile: Profile, side: SharingSideColumns, row: number): SharingSide {
  const access = ownSite(profile, side.site[row], 'own');
  const allocation = ownSite(profile, side.allocationSite[row], 'allocation');
  return {
    type: profile.strings[profile.types.name[side.type[row]]],
    field: spellName(profile, side.field[row]),
    variable: spellName(profile, side.variable[row]),
    function: access.function,
    site: access.site,
    callPath: access.callPath,
    allocatedAt: allocation.site,
    receiver: allocation.receiver,
    allocationPath: allocation.callPath,
    allocatedBy: side.allocationThread[row] === NO_INDEX ? null : side.allocationThread[row],
  };
}

const RELATION_NAMES: Readonly<Record<SharingRow['relation'], string>> = {
  'same-object': 'same object',
  'same-type': 'two objects of a type',
  'two-types': 'two types',
  recycled: 'recycled memory',
};

/** Columns of the page, which has one row for a pair. */
export function sharingColumns(view: Sharing): Column<SharingRow>[] {
  const paths = ['totals.levels.l1.classes.true-sharing', 'totals.levels.l1.classes.false-sharing'];
  return [
    column('words', 'class', 'class', (row: SharingRow) => CLASS_NAMES[row.class], { width: 13 }),
    count('L1 misses', 'misses'),
    // Both sides come first: a page has no room for everything.
    ...dataColumns('missed', 'missed'),
    ...dataColumns('writer', 'stored'),
    share('of sharing', 'misses', { paths, envelope: view }, { meaning: 'of all L1 misses by sharing' }),
    column('words', 'relation', 'relation', ({ relation }: SharingRow) => RELATION_NAMES[relation], { width: 21 }),
    ...codeColumns('missed', 'missed'),
    ...codeColumns('writer', 'stored'),
  ];
}

type Side = 'missed' | 'writer';

function dataColumns(side: Side, words: string): Column<SharingRow>[] {
  return [
    name(`${words}: type`, `${side}.type`, { width: 16 }, 'type'),
    name(`${words}: field`, `${side}.field`, { width: 10 }),
    name(`${words} at`, `${side}.site`, { width: 12 }, 'site'),
  ];
}

function codeColumns(side: Side, words: string): Column<SharingRow>[] {
  return [
    name(`${words} by`, `${side}.function`, { width: 20, meaning: 'the function that made the access' }),
    name(
      `${words}: allocated at`,
      `${side}.allocatedAt`,
      { width: 22, meaning: 'where the object was allocated, or the variable is declared' },
      'site',
    ),
    name(`${words}: variable`, `${side}.variable`, { width: 14 }),
  ];
}

/** Text has two lines for a pair: what missed, and under it the store. */
interface PairLine {
  /** null: it stands above. */
  readonly pair: SharingRow | null;
  readonly side: SharingSide;
}

function pairColumns(misses: number): Column<PairLine>[] {
  return [
    column('count', 'misses', 'L1 misses', ({ pair }: PairLine) => pair?.misses ?? ''),
    column(
      'share',
      'misses/totals',
      'of all',
      ({ pair }: PairLine) => (pair === null ? '' : { part: pair.misses, whole: misses }),
      { meaning: `of ${plural(misses, 'L1 miss')} by true or false sharing.`, expendable: 2 },
    ),
    column('words', 'class', 'class', ({ pair }: PairLine) => pair?.class ?? ''),
    column('words', 'relation', 'relation', ({ pair }: PairLine) => pair?.relation ?? '', { expendable: 1 }),
    column('words', 'side', '', ({ pair }: PairLine) => (pair === null ? 'stored' : 'missed')),
    column('name', 'field', 'type and field', ({ side }: PairLine) => spellData(side), { shortest: 16 }),
    name('in', 'side.function', { shortest: 12 }),
    name('at', 'side.site', { shortest: 16 }, 'site'),
    column('name', 'object', 'object', ({ side }: PairLine) => spellObject(side), { shortest: 20, expendable: 3 }),
  ];
}

function spellData({ type, field, variable }: SharingSide): string {
  return type + (field === null ? '' : field === variable ? ` ${field}` : `.${field}`);
}

function spellObject({ variable, receiver, allocatedAt, allocatedBy }: SharingSide): string {
  const place = allocatedAt === null ? 'unknown place' : briefSite(allocatedAt);
  const thread = allocatedBy === null ? '' : `, thread ${allocatedBy}`;
  if (variable !== null) return `${variable} (${place}${thread})`;
  return allocatedAt === null && allocatedBy === null ? '-' : `${receiver ?? 'heap'} (${place}${thread})`;
}

function sharingMisses({ totals }: Sharing): number {
  const { classes } = totals.levels.l1;
  return classes['true-sharing'] + classes['false-sharing'];
}

export const sharing: ViewDefinition<Sharing> = {
  build: buildSharingView,
  filters: ['type', 'field', 'function', 'minShare'],
  hasCallPaths: true,
  columns: sharingColumns,
  shareOf: ({ misses }, view) => misses / (sharingMisses(view) || Infinity),
  table(view, top) {
    const shown = view.rows.slice(0, top);
    return {
      title: 'sharing: accesses that miss because another core stored',
      columns: pairColumns(sharingMisses(view)),
      lines: pathLines(
        shown.flatMap((pair): PairLine[] => [
          { pair, side: pair.missed },
          { pair: null, side: pair.writer },
        ]),
        view.withCallPath === true,
        ({ side }) => [
          { of: 'accessed', frames: side.callPath },
          ...allocationPaths(side.allocationPath, side.variable),
        ],
      ),
      empty: 'no access missed because of a store by another core',
      notes: [`${shown.length} of ${formatCount(view.rows.length)} pairs.`],
    };
  },
};
