// Stage: stream -> SQL. The references of a replay as a table that DuckDB scans: each scan is a stream of its own, of
// no more columns than the query names, and is never kept.
// https://duckdb.org/docs/stable/clients/c/table_functions

import duckdb from '@duckdb/node-bindings';
import { DuckDBTableFunction, type DuckDBConnection } from '@duckdb/node-api';
import type { ReplayInput } from '../contract/input.js';
import type { EngineName } from '../replay/replay.js';
import { PackedColumn, type PackedRows } from '../stream/packed-column.js';
import { readPackedNow, type PackedBatch } from '../stream/read-references.js';
import { COLUMN_NAMES } from '../stream/stream-columns.js';
import { CHUNK_ROWS, type ScanWatcher } from './duckdb.js';
import { fillChunk, typeOf, widenedRows } from './packed-scan.js';

/** More than any other table has: of a join, the other side is to be held in memory. */
const MANY = 1e12;

interface Scan {
  readonly columns: readonly PackedColumn[];
  readonly rows: Generator<PackedBatch>;
  /** As DuckDB has them: numbers of more than 32 bits have 64. */
  packed: readonly PackedRows[];
  count: number;
  at: number;
}

export function addRefs(
  connection: DuckDBConnection,
  input: ReplayInput,
  engine: EngineName,
  watcher: ScanWatcher,
): void {
  const columns = COLUMN_NAMES.map((name) => new PackedColumn(name, input));
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: 'scan_refs',
      supportsProjectionPushdown: true,
      bindFunction: (info) => {
        for (const column of columns) info.addResultColumn(column.name, typeOf(column));
        info.setCardinality(MANY, false);
      },
      initFunction: (info) => {
        // A query of no column counts rows; DuckDB then asks for one that it makes itself.
        const asked = info.getColumnIndexes().map((index) => columns[index]);
        const rows = readPackedNow(input, asked, engine);
        const scan: Scan = { columns: asked, rows, packed: [], count: 0, at: 0 };
        watcher.opened(() => void rows.return(undefined));
        info.setInitData(scan);
      },
      mainFunction: (info, { chunk }) => {
        try {
          fill(info.initData as Scan, chunk, watcher);
        } catch (error) {
          watcher.failure(error);
          info.setError((error as Error).message);
        }
      },
    }),
  );
}

function fill(scan: Scan, chunk: duckdb.DataChunk, watcher: ScanWatcher): void {
  if (scan.at === scan.count) {
    const { done, value } = scan.rows.next();
    scan.at = scan.count = 0;
    if (done === true) return duckdb.data_chunk_set_size(chunk, 0);
    scan.count = value.count;
    scan.packed = value.columns.map(widenedRows);
    watcher.rows(value.count);
  }
  const count = Math.min(CHUNK_ROWS, scan.count - scan.at);
  fillChunk(chunk, scan.packed, scan.at, count);
  scan.at += count;
}
