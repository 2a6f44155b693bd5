// Stage: stream. The values of a column, row by row. What a word says is made once.

import type { RawColumn, ReferenceRows } from './reference-rows.js';
import { STREAM_COLUMNS, type ColumnName, type RowFacts, type StreamColumn, type Value } from './stream-columns.js';

type OfRow<Result> = (rows: ReferenceRows, row: number) => Result;

/** `make` of the column's values. */
export function eachValue<Result>(name: ColumnName, facts: RowFacts, make: (value: Value) => Result): OfRow<Result> {
  const { kind, needs, valueOf }: StreamColumn = STREAM_COLUMNS[name];
  const value = valueOf(facts);
  if (kind !== 'words' && needs !== 'slot') return (rows, row) => make(value(rawOf(rows, needs)[row]));
  const made = new Map<number, Result>();
  return (rows, row) => {
    const raw = rawOf(rows, needs)[row];
    let result = made.get(raw);
    if (result === undefined && !made.has(raw)) made.set(raw, (result = make(value(raw))));
    return result as Result;
  };
}

export function rawOf(rows: ReferenceRows, needs: RawColumn): Float64Array | Uint32Array | Uint16Array {
  return rows[needs]!;
}
