// Stage: replay. Columns by a dense number (of lines, of rows) that grow as numbers are met.

const FIRST_LENGTH = 1 << 10;

type Column = Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** The column, or a longer copy of it that has the index; what is new is `value`. */
export function grownTo<C extends Column>(column: C, index: number, value = 0): C {
  if (index < column.length) return column;
  const length = Math.max(FIRST_LENGTH, 2 ** Math.ceil(Math.log2(index + 1)));
  const grown = new (column.constructor as new (length: number) => C)(length);
  grown.set(column);
  if (value !== 0) grown.fill(value, column.length);
  return grown;
}
