// Stage: SQL -> text. Rows of a result in pieces, as they come: JSON (an array of rows), comma-separated values, or a
// table of the first of them.

import type { DuckDBResult } from '@duckdb/node-api';
import { csvLine } from '../base/csv-line.js';
import { spellTable as spellRowTable } from '../report/plain-table.js';

export const QUERY_FORMATS = ['text', 'json', 'csv', 'parquet'] as const;
export type QueryFormat = (typeof QUERY_FORMATS)[number];

type Cell = string | number | boolean | null | object;

/** A row as plain values, by the names of the columns. */
async function* rowsOf(result: DuckDBResult): AsyncGenerator<Record<string, Cell>> {
  const names = distinct(result.columnNames());
  for await (const rows of result.yieldRowsJs())
    for (const row of rows) yield Object.fromEntries(names.map((name, at) => [name, plain(row[at])]));
}

/** Two columns of one name are two. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set(names);
  const met = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let time = 1; met.has(own) || (own !== name && taken.has(own)); time++) own = `${name}_${time}`;
    met.add(own);
    return own;
  });
}

/** Whole numbers stay numbers while they are exact. */
function plain(value: unknown): Cell {
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object') return value as Cell;
  if (value instanceof Date) return value.toISOString();
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

export async function* spellJson(result: DuckDBResult): AsyncGenerator<string> {
  let before = '[\n';
  for await (const row of rowsOf(result)) {
    yield before + JSON.stringify(row);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

export async function* spellCsv(result: DuckDBResult): AsyncGenerator<string> {
  const names = distinct(result.columnNames());
  yield csvLine(names);
  for await (const row of rowsOf(result)) yield csvLine(names.map((name) => spellCell(row[name])));
}

/** Lists and structs as JSON has them. */
function spellCell(cell: Cell): unknown {
  return cell !== null && typeof cell === 'object' ? JSON.stringify(cell) : cell;
}

/** At most `most` rows; says how many more there are. */
export async function* spellTable(result: DuckDBResult, width: number, most: number): AsyncGenerator<string> {
  const names = distinct(result.columnNames());
  const rows: unknown[][] = [];
  let more = 0;
  for await (const row of rowsOf(result)) {
    if (rows.length === most) more++;
    else rows.push(names.map((name) => row[name]));
  }
  yield spellRowTable(names, rows, width);
  if (rows.length === 0) yield 'no rows\n';
  if (more > 0) yield `and ${more.toLocaleString('en')} rows more; --format csv prints all, --top N more of them\n`;
}
