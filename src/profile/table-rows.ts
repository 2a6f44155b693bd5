// Stage: profile. Rows of any table while it is put together: those of equal keys become one, then columns in canonical
// order, so that equal rows give equal bytes whoever listed them, and in which order.

import { NO_INDEX } from '../base/ids.js';
import {
  freezeRows,
  listCells,
  pick,
  put,
  widthOf,
  type Cell,
  type ColumnArray,
  type Columns,
  type ColumnsOf,
  type KeysOf,
  type MeasuresOf,
  type RowOf,
} from '../base/table-description.js';
import type { TableDescription } from './tables.js';

/** Numbers given out while building, to numbers in the frozen tables. NO_INDEX stays. */
export interface Renumber {
  readonly type: (number: number) => number;
  readonly site: (number: number) => number;
  readonly string: (number: number) => number;
  /** Only of parts of locks. */
  readonly lock?: (number: number) => number;
}

type AnyRow = Record<string, unknown>;

/** The new number for each number of a column; undefined if the numbers stay. */
function renumbering({ column }: Cell, renumber: Renumber): ((number: number) => number) | undefined {
  const { rowOf, mayBeNone } = column;
  const map = rowOf === undefined ? undefined : renumber[rowOf as keyof Renumber];
  return map && mayBeNone ? (number) => (number === NO_INDEX ? NO_INDEX : map(number)) : map;
}

/** Columns with other numbers, those of no names as they are. */
export function renumberColumns<T>(cells: readonly Cell[], columns: T, renumber: Renumber): T {
  const renumbered = {};
  for (const cell of cells) {
    const column = pick(columns, cell.path) as ColumnArray;
    const map = renumbering(cell, renumber);
    put(renumbered, cell.path, map === undefined ? column : column.map(map));
  }
  return renumbered as T;
}

/** Row by row, with what else the rows have; in canonical order. */
export function sortRows<C extends Columns, Row extends RowOf<C>>(
  table: TableDescription<C>,
  rows: readonly Row[],
  renumber: Renumber,
): Row[] {
  return rows.map((row) => renumberRow(table.columns, row, renumber)).sort(compareBy(table));
}

export function renumberRow<Row>(columns: Columns, row: Row, renumber: Renumber): Row {
  const copy = { ...row } as AnyRow;
  for (const cell of listCellsOnce(columns)) {
    const map = renumbering(cell, renumber);
    if (map === undefined) continue;
    const [group] = cell.path;
    if (cell.path.length > 1 && copy[group] === (row as AnyRow)[group]) copy[group] = { ...(copy[group] as AnyRow) };
    put(copy, cell.path, map(pick(copy, cell.path) as number));
  }
  return copy as Row;
}

/** Compares rows by the table's canonical order. */
export function compareBy({ columns, order }: TableDescription): (a: unknown, b: unknown) => number {
  const cells = listCellsOnce(columns);
  const criteria =
    order?.flatMap((criterion) => {
      const name = criterion.replace(/^-/, '');
      const named = cells.filter((cell) => cell.name === name || cell.name.startsWith(`${name}.`));
      return named.map(({ path }) => ({ path, sign: criterion === name ? 1 : -1 }));
    }) ?? cells.flatMap(({ path, column }) => (column.role === 'key' ? [{ path, sign: 1 }] : []));
  return (a, b) => {
    for (const { path, sign } of criteria) {
      const difference = (pick(a, path) as number) - (pick(b, path) as number);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}

/** One row of a table. */
export function readRow<C extends Columns>(columns: C, table: ColumnsOf<C>, row: number): RowOf<C> {
  const read = {};
  for (const { path, column } of listCellsOnce(columns)) {
    const array = pick(table, path) as ColumnArray;
    const width = widthOf(column);
    put(read, path, column.isEach ? array.subarray(row * width, (row + 1) * width) : array[row]);
  }
  return read as RowOf<C>;
}

export function countRows(columns: Columns, table: unknown): number {
  const [{ path, column }] = listCellsOnce(columns);
  return (pick(table, path) as ColumnArray).length / widthOf(column);
}

/** Adds what a row measures to another of equal keys. */
export function combineRows(columns: Columns, to: unknown, from: unknown, across: 'run' | 'runs'): void {
  for (const { path, column } of listCellsOnce(columns)) {
    if (column.role === 'key') continue;
    const [own, other] = [pick(to, path), pick(from, path)];
    if (column.isEach) (own as number[]).forEach((_, at) => ((own as number[])[at] += (other as number[])[at]));
    else if (column.role !== 'kept') put(to as object, path, together(column.role, own as number, other as number));
  }
  function together(role: string, a: number, b: number): number {
    if (role === 'smallest') return Math.min(a, b);
    return role === 'largest' || (role === 'largest-of-runs' && across === 'runs') ? Math.max(a, b) : a + b;
  }
}

/** Whether a row measured nothing. */
export function isZeroRow(columns: Columns, row: unknown): boolean {
  return listCellsOnce(columns).every(({ path, column }) => {
    const value = pick(row, path);
    if (column.role === 'key') return true;
    return column.isEach ? (value as number[]).every((count) => count === 0) : value === 0;
  });
}

export function keyOf(columns: Columns, row: unknown): string {
  let key = '';
  for (const { path, column } of listCellsOnce(columns))
    if (column.role === 'key') key += `${String(pick(row, path))} `;
  return key;
}

export class Rows<C extends Columns> {
  readonly #numbers = new Map<string, number>();
  readonly #rows: RowOf<C>[] = [];

  /** `across`: where the rows come from, one run or several. */
  constructor(
    private readonly table: TableDescription<C>,
    private readonly across: 'run' | 'runs' = 'run',
  ) {}

  get all(): readonly RowOf<C>[] {
    return this.#rows;
  }

  /** The number of the row that it becomes, or is added to. */
  add(row: RowOf<C>): number {
    const { columns } = this.table;
    const key = keyOf(columns, row);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      this.#numbers.set(key, (number = this.#rows.length));
      this.#rows.push(ownRow(columns, row));
    } else combineRows(columns, this.#rows[number], row, this.across);
    return number;
  }

  /** Rows of a result, whose measures have the same names; `keys`: of a row, null to leave it out. */
  addResult(result: { readonly count: number } & MeasuresOf<C>, keys: (row: number) => KeysOf<C> | null): number[] {
    const measures = measuresOf(this.table.columns);
    return Array.from({ length: result.count }, (_, row) => {
      const own = keys(row);
      return own === null ? -1 : this.add({ ...own, ...readRow(measures, result as never, row) } as never);
    });
  }

  /** All rows of a profile's table; the number that each has here. */
  addTable(table: ColumnsOf<C>, renumber: Renumber): number[] {
    const { columns } = this.table;
    return Array.from({ length: countRows(columns, table) }, (_, row) =>
      this.add(renumberRow(columns, readRow(columns, table, row), renumber)),
    );
  }

  freeze(renumber: Renumber): ColumnsOf<C> {
    return freezeRows(this.table.columns, sortRows(this.table, this.#rows, renumber));
  }

  /** The rows of these numbers only, and where each of them is then. */
  freezeSome(
    renumber: Renumber,
    numbers: readonly number[],
  ): { columns: ColumnsOf<C>; places: ReadonlyMap<number, number> } {
    const rows = numbers.map((number) => ({ ...this.#rows[number], number }));
    const sorted = sortRows<C, RowOf<C> & { number: number }>(this.table, rows, renumber);
    return {
      columns: freezeRows(this.table.columns, sorted),
      places: new Map(sorted.map(({ number }, place) => [number, place])),
    };
  }
}

/** Copies the row, so additions to it change no other row. */
function ownRow<Row>(columns: Columns, row: Row): Row {
  const own = { ...row };
  for (const { path, column } of listCellsOnce(columns))
    if (column.isEach) put(own as object, path, (pick(row, path) as number[]).slice());
  return own;
}

function measuresOf(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([, { role }]) => role !== undefined && role !== 'key'));
}

const listed = new WeakMap<Columns, readonly Cell[]>();

function listCellsOnce(columns: Columns): readonly Cell[] {
  let cells = listed.get(columns);
  if (cells === undefined) listed.set(columns, (cells = listCells(columns)));
  return cells;
}
