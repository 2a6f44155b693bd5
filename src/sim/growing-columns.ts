// Stage: replay. Columns by line id that grow as lines are met: lines are numbered densely, so most ids that come are soon all there.

const FIRST_LENGTH = 1 << 10;

export function grownTo<Column extends Uint8Array | Uint32Array>(column: Column, index: number): Column {
  if (index < column.length) return column;
  const length = Math.max(FIRST_LENGTH, 2 ** Math.ceil(Math.log2(index + 1)));
  const grown = new (column.constructor as new (length: number) => Column)(length);
  grown.set(column);
  return grown;
}
