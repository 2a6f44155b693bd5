// Stage: views -> Parquet.

import { parquetWriteBuffer } from 'hyparquet-writer';
import { columnsOf } from './row-columns.js';

const ROWS_PER_GROUP = 100_000;

export function* writeParquet(
  rows: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Generator<Uint8Array> {
  const columnData = columnsOf(rows).map(({ name, kind, values }) => ({
    name,
    type: kind,
    data: [...values],
    nullable: true,
  }));
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
