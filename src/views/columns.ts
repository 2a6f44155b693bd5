// Stage: profile -> views. The columns of a view: text and pages spell their values. A column's id says where its
// number comes from: paths in the row's JSON that are added up, and behind a slash the paths of the whole that it is a
// share of ("totals." is the view's envelope).

import { estimateOf, isEstimate, type Estimate, type Quantity } from '../base/estimate.js';
import { intervalAt } from './row-estimates.js';

/** A part of a whole; spelled "12.5%", or in a column `of` "3 of 24". */
export interface Share {
  readonly part: number;
  readonly whole: number;
}

/**
 * The range over several runs or schedules. If their number is even, the median is the lower of the two in the middle,
 * so each value was really counted.
 */
export interface Range {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

/** The kinds of columns, and the values that each may have. A string stands for itself in any column. */
interface Values {
  readonly count: Quantity;
  readonly bytes: Quantity;
  /** One decimal. */
  readonly cycles: Quantity;
  /** Whole where it is; an estimate with both its bounds. */
  readonly average: Quantity;
  readonly nanoseconds: number | null;
  readonly share: Share | Estimate | null;
  readonly of: Share | null;
  readonly range: Range | null;
  /**
   * Average amounts in equal parts of the run, or amounts by set. The drawing has a limited number of characters
   * (`mostBars`).
   */
  readonly bars: readonly number[];
  /** A name of the program: any, of a type, of a position in the source. */
  readonly name: string | null;
  readonly type: string | null;
  readonly site: string | null;
  /** Words of dprof's own. */
  readonly words: string | null;
  readonly flag: boolean | null;
  /** The words that apply. */
  readonly flags: readonly string[];
}

export type Unit = keyof Values;
export type Value = Values[Unit] | string;

export interface ColumnWords {
  /** The meaning of its cells: a note of the text, a tooltip of the page. */
  readonly meaning?: string;
  /** Replaces `meaning` beside the brief heading. */
  readonly briefMeaning?: string;
  /** Replaces `meaning` on the page. */
  readonly tip?: string;
  /** Heading of a text narrower than 100 characters. */
  readonly brief?: string;
  /** Heading of the page, if it is another. */
  readonly pageHeading?: string;
  /** What null reads as; without: "-". */
  readonly nothing?: string;
  /** Text may shorten it to this many characters. */
  readonly shortest?: number;
  /** Text that is too wide leaves it out; higher goes first. Without: never. */
  readonly expendable?: number;
  /** Text leaves it out before all others where each of its cells is 0, and says so. */
  readonly isNoneLeftOut?: true;
  /**
   * The outputs that have the column, if not all: text of 160 characters and the page, text alone, or the page alone.
   */
  readonly where?: 'roomy' | 'text' | 'page';
  /** The cell in the last line of text, which is about all rows. */
  readonly all?: Value;
  /** Its note stands before (-1) or behind (1) those of other columns. */
  readonly noteRank?: -1 | 1;
  /** For columns of words: those of a text below 160 characters, if one cell is longer than this. */
  readonly briefWords?: { readonly longest: number; readonly words: Readonly<Record<string, string>> };
  /** For columns of bars: the most characters, in a text narrower than 112 and in a wider one; without: 20. */
  readonly mostBars?: readonly [few: number, most: number];
  /** Text aligned otherwise than its unit says. */
  readonly align?: 'left' | 'right';
  /** Text that has no room is cut at the end, not in the middle. */
  readonly isList?: true;
  /** Characters on the page; what numbers take is measured. */
  readonly width?: number;
}

export interface Column<Row> extends ColumnWords {
  readonly id: string;
  readonly heading: string;
  readonly unit: Unit;
  value(row: Row): Value;
  /** What the page sorts by, if not by the value. */
  sortKey?(row: Row): number;
  /** Text leaves the cell of such a row empty. */
  isBlank?(row: Row): boolean;
}

/** What a value sorts by; an empty cell has nothing. */
export function sortKey(value: Value): string | number | null {
  if (value === '') return null;
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : '';
  if (isEstimate(value)) return value.value;
  if ('whole' in value) return value.whole === 0 ? null : value.part / value.whole;
  return 'minimum' in value ? value.median : value.join(' ');
}

/** Any kind, its value worked out from the row. */
export function column<Row, Kind extends Unit>(
  unit: Kind,
  id: string,
  heading: string,
  value: (row: Row) => Values[Kind] | string,
  words: ColumnWords = {},
): Column<Row> {
  return { id, heading, unit, value, ...words };
}

/** At a path such as "misses.l1.loads"; undefined where the row has no such thing. */
export function readPath(row: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], row);
}

/** null: a number is unknown, and the known ones add up to 0. */
export function sumOf(row: unknown, paths: readonly string[]): number | null {
  const values = paths.map((path) => readPath(row, path));
  const sum = values.reduce<number>((total, value) => total + Number(value ?? 0), 0);
  return sum === 0 && values.includes(null) ? null : sum;
}

type Paths = string | readonly string[];
const listOf = (paths: Paths): readonly string[] => (typeof paths === 'string' ? [paths] : paths);

/** The row's number at the paths; in a sampled row, with its bounds. */
function quantity<Row>(id: string, paths: readonly string[]): (row: Row) => Quantity {
  return (row) => {
    const value = sumOf(row, paths);
    const interval = intervalAt(row, id);
    return value === null || interval === undefined ? value : estimateOf(value, interval);
  };
}

export function count<Row>(heading: string, paths: Paths, words: ColumnWords = {}): Column<Row> {
  const id = listOf(paths).join('+');
  return column('count', id, heading, quantity<Row>(id, listOf(paths)), words);
}

/** bytes, cycles, average, nanoseconds. */
export function measure<Row>(
  unit: 'bytes' | 'cycles' | 'average',
  heading: string,
  path: string,
  words: ColumnWords = {},
): Column<Row> {
  const sum = quantity<Row>(path, [path]);
  return column(unit, path, heading, (row: Row) => (readPath(row, path) === undefined ? null : sum(row)), words);
}

export interface WholeOfShare {
  readonly paths: readonly string[];
  /** The object that paths beginning with "totals." are read from. */
  readonly envelope?: unknown;
  /** Paths that are subtracted from the whole, if the row has them: no sample says whether these are in the part. */
  readonly without?: readonly string[];
}

export function share<Row>(
  heading: string,
  part: Paths,
  { paths, envelope, without = [] }: WholeOfShare,
  words: ColumnWords = {},
): Column<Row> {
  const id = `${listOf(part).join('+')}/${paths.join('+')}`;
  const sumOfAll = (row: Row, all: readonly string[]): number | null =>
    all.reduce<number | null>((total, path) => {
      const one = sumOf(path.startsWith('totals.') ? envelope : row, [path]);
      return one === null && total === null ? null : (total ?? 0) + (one ?? 0);
    }, null);
  return column(
    'share',
    id,
    heading,
    (row: Row) => {
      const own = sumOf(row, listOf(part));
      const whole = sumOfAll(row, paths);
      const interval = intervalAt(row, id);
      if (interval === undefined) return { part: own ?? 0, whole: whole ?? 0 };
      const known = whole === null ? null : whole - (sumOfAll(row, without) ?? 0);
      return own === null || known === null || known === 0 ? null : estimateOf(own / known, interval);
    },
    words,
  );
}

/** A name at a path: of a type, a position in the source, or anything else. */
export function name<Row>(
  heading: string,
  path: string,
  words: ColumnWords = {},
  unit: 'name' | 'type' | 'site' = 'name',
): Column<Row> {
  return column(unit, path, heading, (row: Row) => (readPath(row, path) ?? null) as string | null, words);
}

/** The position that a row's file and line say. */
export function place<Row extends { readonly file: string | null; readonly line: number | null }>(
  heading: string,
  words: ColumnWords = {},
): Column<Row> {
  return column('site', 'site', heading, ({ file, line }: Row) => (file === null ? null : `${file}:${line}`), words);
}

/** Rows without what `known` asks for, such as holes between members, have empty cells. */
export function blankUnless<Row>(known: (row: Row) => boolean, columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.map((one) => ({ ...one, value: (row) => (known(row) ? one.value(row) : '') }));
}

export function flag<Row>(heading: string, path: string, words: ColumnWords = {}): Column<Row> {
  return column('flag', path, heading, (row: Row) => (readPath(row, path) ?? null) as boolean | null, {
    where: 'page',
    ...words,
  });
}
