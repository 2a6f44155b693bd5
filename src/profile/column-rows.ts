// Stage: profile. Rows of a table's numbers in the order in which they came, column by column: no row is an object.

import {
  ELEMENTS,
  pick,
  put,
  widthOf,
  type Cell,
  type ColumnArray,
  type Columns,
  type ColumnsOf,
} from '../base/table-description.js';
import { longer } from '../base/tuple-index.js';
import { combine, ruleOf } from './combining.js';
import { listCellsOnce } from './table-rows.js';

/** A table's columns in the order of its cells. */
export type CellColumns = readonly ColumnArray[];

export function columnsOf(columns: Columns, table: object): CellColumns {
  return listCellsOnce(columns).map(({ path }) => pick(table, path) as ColumnArray);
}

export class ColumnRows<C extends Columns> {
  count = 0;
  readonly #cells: readonly Cell[];
  readonly #widths: readonly number[];
  readonly #rules: readonly number[];
  readonly #columns: Float64Array[];

  /** `across`: where the rows come from, one run or several. */
  constructor(columns: C, across: 'run' | 'runs') {
    this.#cells = listCellsOnce(columns);
    this.#widths = this.#cells.map(({ column }) => widthOf(column));
    this.#rules = this.#cells.map(({ column }) => ruleOf(column, across));
    this.#columns = this.#cells.map(() => new Float64Array(0));
  }

  /** There will be so many. */
  reserve(rows: number): void {
    this.#columns.forEach((column, cell) => {
      const length = rows * this.#widths[cell];
      if (column.length < length) this.#columns[cell] = longer(column, length);
    });
  }

  /** So many rows of the columns, from `row` on. */
  append(from: CellColumns, row: number, rows: number): void {
    this.reserve(this.count + rows);
    for (let cell = 0; cell < from.length; cell++) {
      const width = this.#widths[cell];
      this.#columns[cell].set(from[cell].subarray(row * width, (row + rows) * width), this.count * width);
    }
    this.count += rows;
  }

  /** Adds what a row measures to one that is here. */
  add(to: number, from: CellColumns, row: number): void {
    for (let cell = 0; cell < from.length; cell++) {
      const [width, column, other, rule] = [this.#widths[cell], this.#columns[cell], from[cell], this.#rules[cell]];
      for (let at = 0; at < width; at++)
        column[to * width + at] = combine(rule, column[to * width + at], other[row * width + at]);
    }
  }

  /** What is in a cell, for all rows. */
  column(name: string): Float64Array {
    const cell = this.#cells.findIndex((one) => one.name === name);
    return this.#columns[cell].subarray(0, this.count * this.#widths[cell]);
  }

  /** These rows; `columns`: instead of its own. */
  freeze(rows: Uint32Array, columns: ReadonlyMap<Cell, Float64Array> = new Map()): ColumnsOf<C> {
    const frozen = {};
    this.#cells.forEach((cell, number) => {
      const [width, column] = [this.#widths[number], columns.get(cell) ?? this.#columns[number]];
      const array = new ELEMENTS[cell.column.element](rows.length * width);
      gather(array, column, rows, width);
      put(frozen, cell.path, array);
    });
    return frozen as ColumnsOf<C>;
  }
}

function gather(to: ColumnArray, column: Float64Array, rows: Uint32Array, width: number): void {
  for (let row = 0, next = 0; row < rows.length; row++)
    for (let at = rows[row] * width, end = at + width; at < end; at++) to[next++] = column[at];
}
