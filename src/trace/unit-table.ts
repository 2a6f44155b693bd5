// Stage: trace -> replay. One table of a unit: bytes to columns. A column of indexes is checked while it is read, so
// that nothing is read through an index that points nowhere.

import type { UnitBytes } from './unit-bytes.js';

export class UnitTable {
  readonly count: number;
  private readonly start: number;
  private readonly view: DataView;

  /** `header`: where the unit says the table's offset and, behind it, its number of rows. */
  constructor(
    private readonly unit: UnitBytes,
    header: number,
    private readonly rowBytes: number,
  ) {
    this.view = unit.view;
    [this.start, this.count] = unit.locate(header, rowBytes);
  }

  u8(field: number): Uint8Array {
    const { view, count, rowBytes } = this;
    const column = new Uint8Array(count);
    for (let row = 0, at = this.start + field; row < count; row++, at += rowBytes) column[row] = view.getUint8(at);
    return column;
  }

  u16(field: number): Uint16Array {
    const { view, count, rowBytes } = this;
    const column = new Uint16Array(count);
    for (let row = 0, at = this.start + field; row < count; row++, at += rowBytes)
      column[row] = view.getUint16(at, true);
    return column;
  }

  u32(field: number): Uint32Array {
    const { view, count, rowBytes } = this;
    const column = new Uint32Array(count);
    for (let row = 0, at = this.start + field; row < count; row++, at += rowBytes)
      column[row] = view.getUint32(at, true);
    return column;
  }

  i32(field: number): Int32Array {
    const { view, count, rowBytes } = this;
    const column = new Int32Array(count);
    for (let row = 0, at = this.start + field; row < count; row++, at += rowBytes)
      column[row] = view.getInt32(at, true);
    return column;
  }

  /** Of 64 bits each. */
  sizes(field: number): Float64Array {
    const column = new Float64Array(this.count);
    for (let row = 0; row < this.count; row++) column[row] = this.unit.size(this.at(row, field));
    return column;
  }

  /** Whether a bit of the flags is set. */
  flag(field: number, bit: number): Uint8Array {
    const [flags, column] = [this.u32(field), new Uint8Array(this.count)];
    for (let row = 0; row < column.length; row++) column[row] = (flags[row] & bit) === 0 ? 0 : 1;
    return column;
  }

  strings(field: number): string[] {
    const { view, count, rowBytes, unit } = this;
    const column: string[] = [];
    let [known, text] = [-1, ''];
    for (let row = 0, at = this.start + field; row < count; row++, at += rowBytes) {
      const offset = view.getUint32(at, true);
      if (offset !== known) [known, text] = [offset, unit.string(at)];
      column.push(text);
    }
    return column;
  }

  /** Places in the unit's list of files. */
  files(field: number): Uint32Array {
    const { view, count, rowBytes, unit } = this;
    const column = new Uint32Array(count);
    let [known, file] = [-1, 0];
    for (let row = 0, at = this.start + field; row < count; row++, at += rowBytes) {
      const name = view.getUint32(at, true);
      if (name !== known) [known, file] = [name, unit.file(at)];
      column[row] = file;
    }
    return column;
  }

  /** Rows of a table that has so many; 0 needs none. */
  indexes(field: number, count: number, what: string): Uint32Array {
    const column = this.u32(field);
    for (let row = 0; row < column.length; row++)
      if (column[row] >= count && column[row] !== 0)
        throw this.unit.error(what, this.at(row, field), `below ${count}`, `${column[row]}`);
    return column;
  }

  /** Rows of this table that stand before their own, or 0. */
  indexesBefore(field: number, what: string): Uint32Array {
    const column = this.u32(field);
    for (let row = 0; row < column.length; row++)
      if (column[row] >= row && column[row] !== 0)
        throw this.unit.error(what, this.at(row, field), `below ${row}`, `${column[row]}`);
    return column;
  }

  /** The first of as many rows as `counts` says, of a table that has so many. */
  firsts(field: number, counts: Uint16Array | Uint32Array, tableCount: number, what: string): Uint32Array {
    const column = this.u32(field);
    for (let row = 0; row < column.length; row++)
      if (column[row] + counts[row] > tableCount)
        throw this.unit.error(what, this.at(row, field), `within ${tableCount}`, `${counts[row]} from ${column[row]}`);
    return column;
  }

  limited(field: number, maximum: number, what: string): Uint8Array {
    const column = this.u8(field);
    for (let row = 0; row < column.length; row++)
      if (column[row] > maximum)
        throw this.unit.error(what, this.at(row, field), `at most ${maximum}`, `${column[row]}`);
    return column;
  }

  oneOf(field: number, known: ReadonlySet<number>, what: string): Uint8Array {
    const column = this.u8(field);
    for (let row = 0; row < column.length; row++)
      if (!known.has(column[row]))
        throw this.unit.error(what, this.at(row, field), `one of ${[...known].join(', ')}`, `${column[row]}`);
    return column;
  }

  at(row: number, field: number): number {
    return this.start + row * this.rowBytes + field;
  }
}
