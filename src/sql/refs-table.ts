// Stage: stream -> SQL. The references of a replay as a table that DuckDB scans: each scan is a stream of its own, of
// no more columns than the query names, and is never kept.
// https://duckdb.org/docs/stable/clients/c/table_functions

import duckdb from '@duckdb/node-bindings';
import {
  BIGINT,
  DuckDBTableFunction,
  ENUM,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import type { ReplayInput } from '../contract/input.js';
import type { EngineName } from '../replay/replay.js';
import { PackedColumn, widened, type PackedRows, type PackedValues } from '../stream/packed-column.js';
import { readPackedNow, type PackedBatch } from '../stream/read-references.js';
import { COLUMN_NAMES } from '../stream/stream-columns.js';
import { CHUNK_ROWS, type ScanWatcher } from './duckdb.js';

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
    scan.packed = value.columns.map(({ values, validity }) => ({
      values: values instanceof Float64Array ? widened(values) : values,
      validity,
    }));
    watcher.rows(value.count);
  }
  const count = Math.min(CHUNK_ROWS, scan.count - scan.at);
  duckdb.data_chunk_set_size(chunk, count);
  scan.packed.forEach(({ values, validity }, index) => {
    const vector = duckdb.data_chunk_get_vector(chunk, index);
    const bytes = values.BYTES_PER_ELEMENT;
    duckdb.copy_data_to_vector(vector, 0, bufferOf(values), values.byteOffset + scan.at * bytes, count * bytes);
    if (validity === null) return;
    duckdb.vector_ensure_validity_writable(vector);
    const from = validity.byteOffset + scan.at / 8;
    duckdb.copy_data_to_vector_validity(vector, 0, bufferOf(validity), from, Math.ceil(count / 64) * 8);
  });
  scan.at += count;
}

function bufferOf({ buffer }: PackedValues): ArrayBuffer {
  return buffer as ArrayBuffer;
}

function typeOf({ kind, words }: PackedColumn): DuckDBType {
  if (words !== null) return ENUM(words.length > 0 ? words : ['']);
  return { u8: BIGINT, u16: USMALLINT, u32: UINTEGER, u53: UBIGINT, u64: UBIGINT }[kind];
}
