// Stage: profile -> views. The columns of sharing: a page has a row for a pair, text two lines, and one more for its
// threads.

import { formatCount, plural } from '../base/format-number.js';
import { CLASS_NAMES } from './class-names.js';
import { column, count, name, type Column } from './columns.js';
import type { Sharing, SharingClass, SharingRow, SharingSide } from './sharing-rows.js';
import { briefSite } from './sites.js';

const MOST_THREAD_PAIRS = 3;

export const SHARING_CLASS_NAMES: Readonly<Record<SharingClass, string>> = {
  'true-sharing': CLASS_NAMES['true-sharing'],
  'false-sharing': CLASS_NAMES['false-sharing'],
  'cold-sharing': 'cold sharing',
};

/** All L1 misses that a pair is behind. */
export function allPairs({ totals, coldSharing }: Sharing): number {
  const { classes } = totals.levels.l1;
  return classes['true-sharing'] + classes['false-sharing'] + coldSharing;
}

const RELATION_NAMES: Readonly<Record<SharingRow['relation'], string>> = {
  'same-object': 'same object',
  'same-type': 'two objects of a type',
  'two-types': 'two types',
  recycled: 'recycled memory',
};

/** Columns of the page, which has one row for a pair. */
export function sharingColumns(view: Sharing): Column<SharingRow>[] {
  return [
    column('words', 'class', 'class', (row: SharingRow) => SHARING_CLASS_NAMES[row.class], { width: 13 }),
    count('L1 misses', 'misses'),
    // Both sides come first: a page has no room for everything.
    ...dataColumns('missed', 'missed'),
    ...dataColumns('writer', 'stored'),
    column(
      'share',
      'misses/totals.pairs',
      'of sharing',
      ({ misses }: SharingRow) => ({ part: misses, whole: allPairs(view) }),
      { meaning: 'of all L1 misses by true, false or cold sharing' },
    ),
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
export interface PairLine {
  /** null: it stands above. */
  readonly pair: SharingRow | null;
  readonly side: SharingSide;
}

export function pairColumns(view: Sharing): Column<PairLine>[] {
  const all = allPairs(view);
  return [
    column('count', 'misses', 'L1 misses', ({ pair }: PairLine) => pair?.misses ?? ''),
    column(
      'share',
      'misses/totals.pairs',
      'of all',
      ({ pair }: PairLine) => (pair === null ? '' : { part: pair.misses, whole: all }),
      { meaning: `of ${plural(all, 'L1 miss')} by true, false or cold sharing.`, expendable: 2 },
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

/** Where several threads allocated what one row is about. */
export function threadLine({ allocatedBy }: SharingRow): (readonly string[])[] {
  if (allocatedBy.length < 2) return [];
  const shown = allocatedBy.slice(0, MOST_THREAD_PAIRS).map(({ missed, writer, misses }) => {
    return `${spellThread(missed)} > ${spellThread(writer)}: ${formatCount(misses)}`;
  });
  const more = allocatedBy.length - shown.length;
  const rest = more === 0 ? '' : `  … ${formatCount(more)} more`;
  return [[`    missed > stored, by allocating thread: ${shown.join('  ')}${rest}`]];
}

function spellThread(thread: number | null): string {
  return thread === null ? '-' : String(thread);
}

function spellObject({ variable, receiver, allocatedAt, allocatedBy }: SharingSide): string {
  const place = allocatedAt === null ? 'unknown place' : briefSite(allocatedAt);
  const thread = allocatedBy === null ? '' : `, thread ${allocatedBy}`;
  if (variable !== null) return `${variable} (${place}${thread})`;
  return allocatedAt === null && allocatedBy === null ? '-' : `${receiver ?? 'heap'} (${place}${thread})`;
}
