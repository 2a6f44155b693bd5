// Stage: stream -> SQL. Packed columns as DuckDB's: their types, and the rows of a chunk.

import duckdb from '@duckdb/node-bindings';
import { BIGINT, ENUM, UBIGINT, UINTEGER, USMALLINT, type DuckDBType } from '@duckdb/node-api';
import { widened, type PackedColumn, type PackedRows, type PackedValues } from '../stream/packed-column.js';

export function typeOf({ kind, words }: PackedColumn): DuckDBType {
  if (words !== null) return ENUM(words.length > 0 ? words : ['']);
  return { u8: BIGINT, u16: USMALLINT, u32: UINTEGER, u53: UBIGINT, u64: UBIGINT }[kind];
}

/** As DuckDB has them: numbers of more than 32 bits have 64. */
export function widenedRows({ values, validity }: PackedRows): PackedRows {
  return { values: values instanceof Float64Array ? widened(values) : values, validity };
}

/** Rows from `at` on, which is a multiple of 64, as the whole chunk. */
export function fillChunk(chunk: duckdb.DataChunk, columns: readonly PackedRows[], at: number, count: number): void {
  duckdb.data_chunk_set_size(chunk, count);
  columns.forEach(({ values, validity }, index) => {
    const vector = duckdb.data_chunk_get_vector(chunk, index);
    const bytes = values.BYTES_PER_ELEMENT;
    duckdb.copy_data_to_vector(vector, 0, bufferOf(values), values.byteOffset + at * bytes, count * bytes);
    if (validity === null) return;
    duckdb.vector_ensure_validity_writable(vector);
    const from = validity.byteOffset + at / 8;
    duckdb.copy_data_to_vector_validity(vector, 0, bufferOf(validity), from, Math.ceil(count / 64) * 8);
  });
}

function bufferOf({ buffer }: PackedValues): ArrayBuffer {
  return buffer as ArrayBuffer;
}
