// Stage: file -> profile. The columns of a profile's file as its tables, by name; what they claim is checked before it
// is unpacked, and what their numbers are rows of is for table-check.ts to see.

import { pick, put, widthOf, type Cell, type ColumnArray } from '../base/table-description.js';
import type { ByteSource } from './byte-source.js';
import { MOST_BYTES_PER_BYTE, readColumn } from './packed-column.js';
import type { ColumnEntry } from './profile-format.js';
import { type StoredNames, zeroes } from './stored-names.js';
import { ALL_TABLES, cellsOf, CHUNKED_TABLES, TABLE_GROUPS, type PlacedTable, type WholeTables } from './tables.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** The table and cell of each column of the whole tables. */
const places = new Map<string, { readonly placed: PlacedTable; readonly cell: Cell }>(
  ALL_TABLES.filter(({ name }) => !CHUNKED_TABLES.includes(name)).flatMap((placed) =>
    cellsOf(placed.table).map((cell) => [`${placed.name}.${cell.name}`, { placed, cell }] as const),
  ),
);

export interface ReadTables {
  readonly tables: WholeTables;
  /** The offset of the last column's end. */
  readonly end: number;
}

export function readTables(
  file: ByteSource,
  columns: readonly unknown[],
  names: StoredNames,
  begin: number,
): ReadTables {
  const tables: object = {};
  const seen = new Set<string>();
  let offset = begin;
  for (const entry of columns) {
    const { name, element, length, storedBytes } = entryOf(entry, file.length - offset, offset);
    if (seen.has(name)) throw listError('each column once', `${name} twice`);
    seen.add(name);
    const place = places.get(name);
    if (place !== undefined) {
      const { placed, cell } = place;
      requireElement(cell, name, element);
      const read = readColumn(file, name, cell.column.element, length, offset, storedBytes);
      put(tables, [...placed.path, ...cell.path], adapt(read, cell, name, names, offset, mostBytes(file)));
    }
    offset += storedBytes;
  }
  for (const placed of ALL_TABLES) if (pick(tables, placed.path) !== undefined) complete(tables, placed, file, begin);
  requireGroups(tables);
  return { tables, end: offset };
}

export function requireElement({ column }: Cell, name: string, element: unknown): void {
  if (element !== column.element) throw listError(`${name} (${column.element})`, `${name} (${String(element)})`);
}

/** The column with the names of here. */
export function adapt(
  column: ColumnArray,
  cell: Cell,
  name: string,
  names: StoredNames,
  offset: number,
  mostBytes: number,
): ColumnArray {
  const { names: list, isEach } = cell.column;
  if (list === undefined) return column;
  if (isEach) return names.spread(cell, name, column, offset, mostBytes);
  const translated = names.translate(cell, name, column);
  const unknown = Array.from<number | null>(translated).indexOf(null);
  if (unknown !== -1)
    throw new ProfileError(
      `column ${name}, row ${unknown},`,
      0,
      `one of the ${list.name} ${list.members.join(', ')}`,
      names.nameOf(cell, column[unknown]),
      'it was written by a newer dprof; update, or replay the trace again',
    );
  return Uint8Array.from(translated as number[]);
}

/**
 * The most bytes that a column may have. LZ4 cannot pack more into a file of this length, and columns of zeros that the
 * file lacks are held to the same limit.
 */
export function mostBytes({ length }: ByteSource): number {
  return length * MOST_BYTES_PER_BYTE;
}

/** A key must be there; a measure that the file does not have is 0. */
function complete(tables: object, { name, path, table }: PlacedTable, file: ByteSource, offset: number): void {
  const cells = cellsOf(table);
  const columnOf = (cell: Cell): ColumnArray | undefined =>
    pick(tables, [...path, ...cell.path]) as ColumnArray | undefined;
  const first = cells.find((cell) => columnOf(cell) !== undefined)!;
  const rows = columnOf(first)!.length / widthOf(first.column);
  for (const cell of cells) {
    if (columnOf(cell) !== undefined) continue;
    if (cell.column.role === 'key') throw listError(`${name}.${cell.name} (${cell.column.element})`, 'none');
    const length = Math.floor(rows) * widthOf(cell.column);
    const column = zeroes(`${name}.${cell.name}`, length, offset, mostBytes(file));
    put(tables, [...path, ...cell.path], cell.column.element === 'f64' ? column : toElement(column, cell));
  }
}

function toElement(column: Float64Array, { column: { element } }: Cell): ColumnArray {
  return element === 'u32' ? Uint32Array.from(column) : Uint8Array.from(column);
}

/** A group's tables are all there, or none. `complete` was called for each that is there. */
function requireGroups(tables: object): asserts tables is WholeTables {
  for (const group of TABLE_GROUPS) {
    const names = Object.keys(group.tables).filter((name) => !CHUNKED_TABLES.includes(name));
    const missing = names.filter((name) => pick(tables, [...group.path, name]) === undefined);
    if (missing.length === 0 || (group.what !== null && missing.length === names.length)) continue;
    const none = missing.map((name) => [...group.path, name].join('.')).join(', ');
    throw listError(
      group.what === null ? `columns of ${none}` : `all tables of ${group.what}, or none`,
      `none of ${none}`,
    );
  }
}

function entryOf(entry: unknown, most: number, offset: number): ColumnEntry {
  const { name, element, length, storedBytes } = (entry ?? {}) as Partial<Record<keyof ColumnEntry, unknown>>;
  if (typeof name !== 'string' || !Number.isSafeInteger(length) || (length as number) < 0)
    throw listError('columns, each with name and length', JSON.stringify(entry)?.slice(0, 100) ?? 'nothing');
  if (!Number.isSafeInteger(storedBytes) || (storedBytes as number) < 0 || (storedBytes as number) > most)
    throw new ProfileError(`column ${name}`, offset, `${String(storedBytes)} bytes`, `${most}`);
  return { name, element, length, storedBytes } as ColumnEntry;
}

function listError(expected: string, actual: string): ProfileError {
  return new ProfileError('column list', HEADER_BYTES, expected, actual);
}
