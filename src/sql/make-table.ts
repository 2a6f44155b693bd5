// Stage: profile -> SQL. Rows -> a table of the database.

import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import { columnsOf, convert, type RowColumn, type RowKind } from '../exports/row-columns.js';
import { CHUNK_ROWS } from './duckdb.js';

const TYPES: Readonly<Record<RowKind, DuckDBType>> = {
  INT64: BIGINT,
  DOUBLE,
  BOOLEAN,
  STRING: VARCHAR,
};

/** Columns by name; null: the rows say which there are, once all of them are there. */
export type TableColumns = Readonly<Record<string, RowKind>> | null;

export async function makeTable(
  connection: DuckDBConnection,
  name: string,
  rows: Iterable<object>,
  columns: TableColumns,
): Promise<void> {
  const chunks = columns === null ? [columnsOf(rows)] : chunksOf(rows as Iterable<Record<string, unknown>>, columns);
  let appender: Awaited<ReturnType<DuckDBConnection['createAppender']>> | undefined;
  for (const chunk of chunks) {
    appender ??= await createTable(connection, name, chunk);
    const types = chunk.map(({ kind }) => TYPES[kind]);
    const count = chunk.at(0)?.values.length ?? 0;
    for (let row = 0; row < count; row += CHUNK_ROWS) {
      const part = DuckDBDataChunk.create(types);
      part.setColumns(chunk.map(({ values }) => values.slice(row, row + CHUNK_ROWS)));
      appender.appendDataChunk(part);
    }
  }
  appender?.closeSync();
}

async function createTable(connection: DuckDBConnection, name: string, columns: readonly RowColumn[]) {
  const spelled = columns.map(({ name: column, kind }) => `"${column.replaceAll('.', '_')}" ${TYPES[kind]}`);
  // A table has a column at least; a view without rows does not say which.
  await connection.run(`create table ${name} (${spelled.join(', ') || '"none" BIGINT'})`);
  return connection.createAppender(name);
}

/** One chunk at least. */
function* chunksOf(rows: Iterable<Record<string, unknown>>, kinds: NonNullable<TableColumns>): Generator<RowColumn[]> {
  const begin = () =>
    Object.entries(kinds).map(([name, kind]) => ({ name, kind, values: [] as RowColumn['values'][number][] }));
  let columns = begin();
  let count = 0;
  for (const row of rows) {
    for (const { name, kind, values } of columns) values.push(convert(row[name] ?? null, kind));
    if (++count < CHUNK_ROWS) continue;
    yield columns;
    columns = begin();
    count = 0;
  }
  yield columns;
}
