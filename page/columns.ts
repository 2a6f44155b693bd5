// Stage: HTML page. Columns of tables of what is no view: comparisons, resampling, validation. Views have
// columns of their own (view-columns.ts). A column's id says where its number comes from: paths in the row's JSON that
// are added up, and behind a slash those of what it is a share of ("totals." is the view's envelope). A test reads the
// ids and does the sums again.

import { readPath, sumOf } from '../src/views/columns.js';
import { formatChange, formatCount } from '../src/base/format-number.js';
import { element } from './elements.js';
import { briefSiteElement, nameElement } from './names.js';
import { NUMERIC_UNITS, SPELL, type ChangingUnit, type Unit } from './units.js';
import { spellRatio } from './words.js';

export type CellValue = string | number | null;

export interface Column<Row> {
  readonly id: string;
  readonly heading: string;
  /** The explanation that the heading leaves out. */
  readonly meaning?: string;
  readonly unit: Unit;
  /** The text of a cell without a value. */
  readonly nothing?: string;
  /** In characters; what numbers take is measured. */
  readonly width: number;
  /** The value that the column is sorted by. */
  readonly value: (row: Row) => CellValue;
  readonly cell: (row: Row) => Node | string;
  /** What the cell reads, where the column is no number and sorted by something else. */
  readonly text?: (row: Row) => string;
}

type Words = { readonly meaning?: string; readonly width?: number };

function numeric<Row>(
  unit: Unit,
  id: string,
  heading: string,
  value: (row: Row) => number | null,
  spell: (value: number | null) => string,
  { meaning, width = 11 }: Words,
): Column<Row> {
  return {
    id,
    heading,
    meaning,
    unit,
    width,
    value,
    cell: (row) => spell(value(row)),
  };
}

export function countColumn<Row>(heading: string, paths: string | readonly string[], words: Words = {}): Column<Row> {
  const all = typeof paths === 'string' ? [paths] : paths;
  const value = (row: Row): number | null => sumOf(row, all);
  return numeric('count', all.join('+'), heading, value, (known) => (known === null ? '-' : formatCount(known)), words);
}

/** Three decimals: percent, points, averages per unit of work. */
export function rateColumn<Row>(heading: string, path: string, words: Words = {}): Column<Row> {
  return numeric(
    'rate',
    path,
    heading,
    (row) => readNumber(row, path),
    (value) => (value === null ? '-' : SPELL.rate(value)),
    words,
  );
}

/** Likewise, with its sign. */
export function signedColumn<Row>(heading: string, path: string, { meaning, width = 11 }: Words = {}): Column<Row> {
  const value = (row: Row): number | null => readNumber(row, path);
  const spell = (change: number | null): string =>
    change === null ? '-' : change === 0 ? '0' : formatChange(change, SPELL.rate);
  return { id: path, heading, meaning, unit: 'rate-change', width, value, cell: (row) => spell(value(row)) };
}

function readNumber(row: unknown, path: string): number | null {
  return (readPath(row, path) as number | null | undefined) ?? null;
}

/** Two columns for a number of two runs, which is at `path`: what it was, and what it is. */
export function beforeAfterColumns<Row>(
  headings: readonly [before: string, after: string],
  path: string,
  unit: ChangingUnit,
  words: Words = {},
): Column<Row>[] {
  return (['before', 'after'] as const).map((side, index) =>
    numeric(
      unit,
      `${path}.${side}`,
      headings[index],
      (row) => readNumber(row, `${path}.${side}`),
      (value) => (value === null ? '-' : SPELL[unit](value)),
      words,
    ),
  );
}

export function changeElement(change: number | null, spell: (size: number) => string): Node | string {
  if (change === null) return '-';
  return change === 0
    ? '0'
    : element('span', { class: change > 0 ? 'increase' : 'decrease' }, formatChange(change, spell));
}

/** The difference of the two, with its sign. */
export function changeColumn<Row>(
  heading: string,
  path: string,
  unit: ChangingUnit,
  { meaning, width = 11 }: Words = {},
): Column<Row> {
  const value = (row: Row): number | null => readNumber(row, `${path}.change`);
  return {
    id: `${path}.change`,
    heading,
    meaning,
    unit: `${unit}-change`,
    width,
    value,
    cell: (row) => changeElement(value(row), SPELL[unit]),
  };
}

/** The number after, as a multiple of the number before. */
export function ratioColumn<Row>(heading: string, path: string, { meaning, width = 9 }: Words = {}): Column<Row> {
  const value = (row: Row): number | null => {
    const before = readNumber(row, `${path}.before`);
    return before === null || before === 0 ? null : (readNumber(row, `${path}.after`) ?? 0) / before;
  };
  return {
    id: `${path}.after/${path}.before`,
    heading,
    meaning,
    unit: 'ratio',
    width,
    value,
    cell: (row) => spellRatio(value(row)),
  };
}

export interface NameWords extends Words {
  /** The address that a click leads to. */
  readonly link?: (name: string) => string | null;
  /** The text of a cell without a name. */
  readonly nothing?: string;
}

export function nameColumn<Row>(
  heading: string,
  path: string,
  { meaning, width = 30, link, nothing = '-' }: NameWords = {},
): Column<Row> {
  const value = (row: Row): string | null => (readPath(row, path) as string | null | undefined) ?? null;
  return {
    id: path,
    heading,
    meaning,
    unit: 'name',
    width,
    nothing,
    value,
    cell: (row) => {
      const name = value(row);
      if (name === null) return element('span', { class: 'nothing' }, nothing);
      const target = link?.(name) ?? null;
      return target === null ? nameElement(name) : element('a', { href: target }, nameElement(name));
    },
  };
}

/** A place in the source: its folders are in the title. */
export function siteColumn<Row>(heading: string, path: string, { meaning, width = 20 }: Words = {}): Column<Row> {
  const value = (row: Row): string | null => (readPath(row, path) as string | null | undefined) ?? null;
  return {
    id: path,
    heading,
    meaning,
    unit: 'name',
    width,
    value,
    cell: (row) => {
      const site = value(row);
      if (site === null) return element('span', { class: 'nothing' }, '-');
      return briefSiteElement(site, width);
    },
  };
}

export function flagColumn<Row>(heading: string, path: string, words: Words = {}): Column<Row> {
  return {
    id: path,
    heading,
    meaning: words.meaning,
    unit: 'words',
    width: words.width ?? 8,
    value: (row) => (readPath(row, path) === true ? 'yes' : ''),
    cell: (row) => (readPath(row, path) === true ? 'yes' : ''),
  };
}

/** Words of the report's own. */
export function wordsColumn<Row>(
  id: string,
  heading: string,
  text: (row: Row) => string,
  { meaning, width = 14 }: Words = {},
): Column<Row> {
  return { id, heading, meaning, unit: 'words', width, value: text, cell: text };
}

export function isNumeric({ unit }: Column<never>): boolean {
  return (NUMERIC_UNITS as readonly Unit[]).includes(unit);
}
