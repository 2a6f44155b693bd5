// Stage: profile -> views. `--sort COLUMN`: rows by a column of their view's table, largest numbers and first names
// first. A column is called as its heading is, with dashes: "L2 misses" is l2-misses.

import { DprofError } from '../base/dprof-error.js';
import { LEVELS } from '../contract/machine.js';
import { closestNames } from '../base/closest-names.js';
import { sortKey, type Column } from './columns.js';
import type { SampledView, View } from './view.js';

type AnyView = View<unknown> | SampledView<unknown>;

/** The words of older versions. */
const ALIASES: Readonly<Record<string, string>> = { misses: 'l1-misses', cycles: 'est-cycles' };

export function sortNameOf({ heading }: Pick<Column<never>, 'heading'>): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** What stands above the rows: what they are sorted by. */
export function spellOrder({ sort, sampled }: Pick<AnyView, 'sort' | 'sampled'>): string {
  return sort ?? (sampled === undefined ? 'estimated cycles' : 'L1 misses');
}

/** The column that is asked for. */
export function findSortColumn(asked: string, columns: readonly Column<never>[], view: string): Column<never> {
  const known = byName(columns);
  const found = known.get(ALIASES[asked] ?? asked);
  if (found !== undefined) return found;
  const [closest] = closestNames(asked, [...known.keys()]);
  throw new DprofError(
    `--sort: ${view} has no column '${asked}'`,
    `${closest === undefined ? '' : `did you mean ${closest}? `}its columns: ${[...known.keys()].join(', ')}`,
    2,
  );
}

export function hasSortColumn(asked: string, columns: readonly Column<never>[]): boolean {
  return byName(columns).has(ALIASES[asked] ?? asked);
}

/** Of several columns of one heading the first. */
function byName(columns: readonly Column<never>[]): Map<string, Column<never>> {
  const named = new Map<string, Column<never>>();
  for (const one of columns) if (one.heading !== '' && !named.has(sortNameOf(one))) named.set(sortNameOf(one), one);
  return named;
}

/** Equals stay in their order. Fields stay under their types, and rows of a level together. */
export function sortRows<Whole extends AnyView>(view: Whole, column: Column<never>): Whole {
  const keyOf = (row: unknown): Key => column.sortKey?.(row as never) ?? sortKey(column.value(row as never));
  const keys = new Map<unknown, Key>(view.rows.map((row) => [row, keyOf(row)]));
  const compare = (a: unknown, b: unknown): number => compareKeys(keys.get(a)!, keys.get(b)!);
  return { ...view, sort: sortNameOf(column), rows: orderRows(view.rows, view.by === undefined, compare) };
}

type Key = string | number | null;

function orderRows(
  rows: readonly unknown[],
  isByType: boolean,
  compare: (a: unknown, b: unknown) => number,
): readonly unknown[] {
  const levelOf = (row: unknown): unknown => (row as { readonly level?: unknown }).level;
  if (rows.some((row) => levelOf(row) !== undefined))
    return LEVELS.flatMap((level) => rows.filter((row) => levelOf(row) === level).sort(compare));
  const isField = (row: unknown): boolean =>
    isByType && typeof (row as { readonly field?: string | null }).field === 'string';
  const groups: unknown[][] = [];
  for (const row of rows) {
    if (isField(row) && groups.length > 0) groups[groups.length - 1].push(row);
    else groups.push([row]);
  }
  return groups.sort(([a], [b]) => compare(a, b)).flatMap(([whole, ...fields]) => [whole, ...fields.sort(compare)]);
}

/** null goes last. */
function compareKeys(a: Key, b: Key): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return b - a;
  return a < b ? -1 : a > b ? 1 : 0;
}
