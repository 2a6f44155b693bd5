// Stage: views -> Parquet. A view's rows as columns, named and flattened as in its CSV; whole numbers are INT64, others
// DOUBLE, all may be null.

import { parquetWriteBuffer } from 'hyparquet-writer';
import { flattenRow } from '../report/csv.js';

type Kind = 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'STRING';

const ROWS_PER_GROUP = 100_000;

export function* writeParquet(
  rows: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Generator<Uint8Array> {
  const columns = new Map<string, unknown[]>();
  rows.forEach((row, index) => {
    for (const [name, value] of flattenRow(row)) {
      let column = columns.get(name);
      if (column === undefined) columns.set(name, (column = new Array<unknown>(rows.length).fill(null)));
      column[index] = value ?? null;
    }
  });
  const columnData = [...columns].map(([name, values]) => {
    const type = kindOf(values);
    return { name: wellFormed(name), type, data: values.map((value) => convert(value, type)), nullable: true };
  });
  // A file has a column at least; a view without rows does not say which.
  if (columnData.length === 0) columnData.push({ name: 'rows', type: 'INT64', data: [], nullable: true });
  yield new Uint8Array(
    parquetWriteBuffer({
      columnData,
      rowGroupSize: ROWS_PER_GROUP,
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      createdBy: 'dprof',
    }),
  );
}

function kindOf(values: readonly unknown[]): Kind {
  const known = values.filter((value) => value !== null);
  if (known.length > 0 && known.every((value) => typeof value === 'number'))
    return known.every(Number.isSafeInteger) ? 'INT64' : 'DOUBLE';
  return known.length > 0 && known.every((value) => typeof value === 'boolean') ? 'BOOLEAN' : 'STRING';
}

function convert(value: unknown, type: Kind): unknown {
  if (value === null) return null;
  if (type === 'INT64') return BigInt(value as number);
  return type === 'STRING' ? wellFormed(String(value)) : value;
}

/** Half a surrogate pair has no UTF-8. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}
