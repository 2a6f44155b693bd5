// Stage: SQL -> text. Rows of a result in pieces, as they come: JSON (an array of rows), comma-separated values, or a
// table of the first of them.

import {
  DuckDBArrayValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBUnionValue,
  ResultReturnType,
  type DuckDBResult,
  type DuckDBValue,
} from '@duckdb/node-api';
import { csvLine } from '../base/csv-line.js';
import { spellTable as spellRowTable } from '../report/plain-table.js';

type Cell = string | number | boolean | null | object;

/** A row as plain values, by the names of the columns. */
async function* rowsOf(result: DuckDBResult): AsyncGenerator<Record<string, Cell>> {
  const names = distinct(result.columnNames());
  for await (const rows of result.yieldRows())
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

/** Whole numbers stay numbers while they are exact; dates, times, bytes and the like are as DuckDB spells them. */
function plain(value: DuckDBValue | undefined): Cell {
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return value;
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(plain);
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, part]) => [name, plain(part)]));
  if (value instanceof DuckDBMapValue)
    return Object.fromEntries(value.entries.map(({ key, value: part }) => [String(plain(key)), plain(part)]));
  if (value instanceof DuckDBUnionValue) return plain(value.value);
  return value.toString();
}

/** A statement such as `set` or `create table` says nothing. */
export function isAnswer({ returnType }: DuckDBResult): boolean {
  return returnType === ResultReturnType.QUERY_RESULT;
}

/** Of several statements: the rows of the only answer, or an array of the rows of each. */
export function* joinJson(answers: readonly (readonly string[])[]): Generator<string> {
  if (answers.length === 1) return yield* answers[0];
  yield '[\n';
  for (const [at, answer] of answers.entries()) {
    yield at === 0 ? '' : ',\n';
    yield answer.join('').trimEnd();
  }
  yield answers.length === 0 ? ']\n' : '\n]\n';
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
