// Stage: views -> CSV (RFC 4180, LF). A view's rows, nested fields as dotted columns, lists as one; every row has the
// columns of the first. In pieces.

import { csvLine } from '../base/csv-line.js';

export function* renderCsv(rows: Iterable<object>, columns?: readonly string[]): Generator<string> {
  let names = columns;
  let isFirst = true;
  for (const row of rows) {
    names ??= columnsOf(row);
    if (isFirst) yield csvLine(names);
    isFirst = false;
    yield csvLine(cellsOf(row, names));
  }
}

function columnsOf(row: object): string[] {
  return [...flattenRow(row).keys()];
}

/** The columns of all rows together, since rows may lack some. */
export function allColumns(rows: readonly object[]): string[] {
  return [...new Set(rows.flatMap((row) => [...flattenRow(row).keys()]))];
}

/**
 * Tables of one view under one head: the name of each stands in a first column; what only some machines have is empty
 * for the others.
 */
export function* renderMachinesCsv(
  tables: readonly { readonly machine: string; readonly rows: Iterable<object> }[],
): Generator<string> {
  const names = [...new Set(tables.flatMap(({ rows }) => firstOf(rows).flatMap(columnsOf)))];
  if (names.length === 0) return;
  yield csvLine(['machine', ...names]);
  for (const { machine, rows } of tables) for (const row of rows) yield csvLine([machine, ...cellsOf(row, names)]);
}

function firstOf(rows: Iterable<object>): object[] {
  for (const row of rows) return [row];
  return [];
}

function cellsOf(row: object, names: readonly string[]): unknown[] {
  const flat = flattenRow(row);
  return names.map((name) => flat.get(name));
}

/** By dotted name; lists as one text. */
export function flattenRow(value: object, prefix = '', into = new Map<string, unknown>()): Map<string, unknown> {
  for (const [name, field] of Object.entries(value)) {
    if (Array.isArray(field)) into.set(prefix + name, joinParts(field));
    else if (field !== null && typeof field === 'object') flattenRow(field, `${prefix}${name}.`, into);
    else into.set(prefix + name, field);
  }
  return into;
}

/**
 * One column, however long the list is: a path's functions "a < b", numbers "1 2", objects by their values "12-15:40
 * 0:3".
 */
function joinParts(parts: readonly unknown[]): string {
  if (parts.every((part) => typeof part === 'string')) return parts.join(' < ');
  return parts
    .map((part) => (part !== null && typeof part === 'object' ? Object.values(part).join(':') : String(part)))
    .join(' ');
}
