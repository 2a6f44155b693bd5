// Stage: profile. One row of any table, described by its columns: read, renumbered, compared, added to another.

import { NO_INDEX } from '../base/ids.js';
import {
  listCells,
  pick,
  put,
  widthOf,
  type Cell,
  type ColumnArray,
  type Columns,
  type ColumnsOf,
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
export function renumbering({ column }: Cell, renumber: Partial<Renumber>): ((number: number) => number) | undefined {
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
  return rows.map(rowRenumbering(table.columns, renumber)).sort(compareBy(table));
}

/** Copies rows of the table, with other numbers. */
export function rowRenumbering(columns: Columns, renumber: Renumber): <Row>(row: Row) => Row {
  const maps = listCellsOnce(columns).flatMap((cell) => {
    const map = renumbering(cell, renumber);
    return map === undefined ? [] : [{ path: cell.path, map }];
  });
  return <Row>(row: Row): Row => {
    const copy = { ...row } as AnyRow;
    for (const { path, map } of maps) {
      const [group] = path;
      if (path.length > 1 && copy[group] === (row as AnyRow)[group]) copy[group] = { ...(copy[group] as AnyRow) };
      put(copy, path, map(pick(copy, path) as number));
    }
    return copy as Row;
  };
}

/** The table's canonical order: cells, and whether ascending (1) or descending (-1). */
export function criteriaOf({ columns, order }: TableDescription): { readonly cell: Cell; readonly sign: 1 | -1 }[] {
  const cells = listCellsOnce(columns);
  return (
    order?.flatMap((criterion) => {
      const name = criterion.replace(/^-/, '');
      const named = cells.filter((cell) => cell.name === name || cell.name.startsWith(`${name}.`));
      return named.map((cell) => ({ cell, sign: criterion === name ? 1 : -1 }) as const);
    }) ?? cells.flatMap((cell) => (cell.column.role === 'key' ? [{ cell, sign: 1 }] : []))
  );
}

/** Compares rows by the table's canonical order. */
export function compareBy(table: TableDescription): (a: unknown, b: unknown) => number {
  const criteria = criteriaOf(table);
  return (a, b) => {
    for (const { cell, sign } of criteria) {
      const difference = (pick(a, cell.path) as number) - (pick(b, cell.path) as number);
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

/** Whether a row measured nothing. */
export function isZeroRow(columns: Columns, row: unknown): boolean {
  return listCellsOnce(columns).every(({ path, column }) => {
    const value = pick(row, path);
    if (column.role === 'key') return true;
    return column.isEach ? (value as number[]).every((count) => count === 0) : value === 0;
  });
}

const listed = new WeakMap<Columns, readonly Cell[]>();

export function listCellsOnce(columns: Columns): readonly Cell[] {
  let cells = listed.get(columns);
  if (cells === undefined) listed.set(columns, (cells = listCells(columns)));
  return cells;
}
