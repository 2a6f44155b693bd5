// Stage: profile. Rows of any table while it is put together: those of equal keys become one, then columns in canonical
// order, so that equal rows give equal bytes whoever listed them, and in which order. Keys and measures lie row behind
// row, so that a row is no object.

import { pick, put, ELEMENTS, widthOf } from '../base/table-description.js';
import type { Cell, ColumnArray, Columns, ColumnsOf, KeysOf, MeasuresOf, RowOf } from '../base/table-description.js';
import { longer, TupleIndex } from '../base/tuple-index.js';
import { combine, ruleOf } from './combining.js';
import { countRows, criteriaOf, listCellsOnce, readRow, renumbering, type Renumber } from './table-rows.js';
import type { TableDescription } from './tables.js';

export class Rows<C extends Columns> {
  readonly #keys: readonly Cell[];
  readonly #measures: readonly Cell[];
  readonly #index: TupleIndex;
  /** By number of a row's measures. */
  readonly #together: Uint8Array;
  #values: Float64Array = new Float64Array(0);
  readonly #key: Float64Array;
  readonly #row: Float64Array;

  /** `across`: where the rows come from, one run or several. */
  constructor(
    private readonly table: TableDescription<C>,
    across: 'run' | 'runs' = 'run',
  ) {
    const cells = listCellsOnce(table.columns);
    this.#keys = cells.filter(({ column }) => column.role === 'key');
    this.#measures = cells.filter(({ column }) => column.role !== 'key');
    this.#together = Uint8Array.from(
      this.#measures.flatMap(({ column }) => Array.from({ length: widthOf(column) }, () => ruleOf(column, across))),
    );
    this.#index = new TupleIndex(this.#keys.length);
    this.#key = new Float64Array(this.#keys.length);
    this.#row = new Float64Array(this.#together.length);
  }

  /** As they are so far. */
  all(): RowOf<C>[] {
    const rows = this.#numbers();
    const columns = this.#columns(this.#keyColumns({}), rows);
    return rows.map((row) => readRow(this.table.columns, columns, row));
  }

  /** The number of the row that it becomes, or is added to. */
  add(row: RowOf<C>): number {
    this.#setKey(row);
    return this.#enter(
      this.#measures.map(({ path, column }) => {
        const value = pick(row, path);
        return column.isEach ? (value as Float64Array) : [value as number];
      }),
      0,
    );
  }

  /** Rows of a result, whose measures have the same names; `keys`: of a row, null to leave it out. */
  addResult(result: { readonly count: number } & MeasuresOf<C>, keys: (row: number) => KeysOf<C> | null): number[] {
    const columns = this.#measuresOf(result);
    const most = (this.#index.count + result.count) * this.#row.length;
    if (this.#values.length < most) this.#values = longer(this.#values, most);
    const numbers: number[] = [];
    for (let row = 0; row < result.count; row++) {
      const own = keys(row);
      if (own !== null) this.#setKey(own);
      numbers.push(own === null ? -1 : this.#enter(columns, row));
    }
    return numbers;
  }

  /** All rows of a profile's table; the number that each has here. */
  addTable(table: ColumnsOf<C>, renumber: Renumber): number[] {
    const [keys, columns] = [this.#keys.map(({ path }) => pick(table, path) as ColumnArray), this.#measuresOf(table)];
    const maps = this.#keys.map((cell) => renumbering(cell, renumber));
    return Array.from({ length: countRows(this.table.columns, table) }, (_, row) => {
      keys.forEach((column, at) => (this.#key[at] = maps[at] === undefined ? column[row] : maps[at](column[row])));
      return this.#enter(columns, row);
    });
  }

  freeze(renumber: Renumber): ColumnsOf<C> {
    return this.freezeSome(renumber, this.#numbers()).columns;
  }

  /** The rows of these numbers only, and where each of them is then. */
  freezeSome(
    renumber: Renumber,
    numbers: readonly number[],
  ): { columns: ColumnsOf<C>; places: ReadonlyMap<number, number> } {
    const keys = this.#keyColumns(renumber);
    const criteria = criteriaOf(this.table);
    const columns = criteria.map(({ cell }) => this.#criterion(cell, keys));
    const sorted = [...numbers].sort((a, b) => {
      for (let at = 0; at < columns.length; at++) {
        const difference = columns[at][a] - columns[at][b];
        if (difference !== 0) return criteria[at].sign * difference;
      }
      return 0;
    });
    return { columns: this.#columns(keys, sorted), places: new Map(sorted.map((number, place) => [number, place])) };
  }

  #setKey(row: object): void {
    for (let at = 0; at < this.#keys.length; at++) this.#key[at] = pick(row, this.#keys[at].path) as number;
  }

  #numbers(): number[] {
    return Array.from({ length: this.#index.count }, (_, row) => row);
  }

  #measuresOf(table: object): ColumnArray[] {
    return this.#measures.map(({ path }) => pick(table, path) as ColumnArray);
  }

  /** The row with this key, and these measures of the table's row; it becomes a row here, or is added to one. */
  #enter(columns: readonly ArrayLike<number>[], row: number): number {
    const own = this.#row;
    for (let cell = 0, at = 0; cell < columns.length; cell++) {
      const width = widthOf(this.#measures[cell].column);
      const column = columns[cell];
      for (let from = row * width; from < (row + 1) * width; from++) own[at++] = column[from];
    }
    const before = this.#index.count;
    const number = this.#index.enter(this.#key);
    const begin = number * own.length;
    if (number === before) {
      if (this.#values.length < begin + own.length) this.#values = longer(this.#values, begin + own.length);
      this.#values.set(own, begin);
    } else this.#combine(begin);
    return number;
  }

  #combine(begin: number): void {
    const [values, own, together] = [this.#values, this.#row, this.#together];
    for (let at = 0; at < own.length; at++) values[begin + at] = combine(together[at], values[begin + at], own[at]);
  }

  /** Each with the new numbers. */
  #keyColumns(renumber: Partial<Renumber>): Float64Array[] {
    return this.#keys.map((cell, at) => {
      const [column, map] = [this.#index.column(at), renumbering(cell, renumber)];
      if (map !== undefined) for (let row = 0; row < column.length; row++) column[row] = map(column[row]);
      return column;
    });
  }

  #criterion(cell: Cell, keys: readonly Float64Array[]): Float64Array {
    const key = this.#keys.indexOf(cell);
    return key >= 0 ? keys[key] : this.#measure(cell, this.#numbers(), new Float64Array(this.#index.count));
  }

  #columns(keys: readonly Float64Array[], rows: readonly number[]): ColumnsOf<C> {
    const columns = {};
    for (const cell of listCellsOnce(this.table.columns)) {
      const column = new ELEMENTS[cell.column.element](rows.length * widthOf(cell.column));
      const key = this.#keys.indexOf(cell);
      if (key < 0) this.#measure(cell, rows, column);
      else for (let at = 0; at < rows.length; at++) column[at] = keys[key][rows[at]];
      put(columns, cell.path, column);
    }
    return columns as ColumnsOf<C>;
  }

  #measure<Column extends ColumnArray>(cell: Cell, rows: readonly number[], into: Column): Column {
    let first = 0;
    for (const other of this.#measures.slice(0, this.#measures.indexOf(cell))) first += widthOf(other.column);
    const [width, stride, values] = [widthOf(cell.column), this.#row.length, this.#values];
    for (let at = 0, to = 0; at < rows.length; at++)
      for (let from = rows[at] * stride + first, end = from + width; from < end; from++) into[to++] = values[from];
    return into;
  }
}
