// Stage: file -> profile. The objects of a profile's file, one chunk at a time; a chunk is checked when it is read,
// where chunks lie before that.

import { put, type Cell, type ColumnArray } from '../base/table-description.js';
import type { ByteSource } from './byte-source.js';
import { adapt, mostBytes, requireElement } from './column-reader.js';
import { OBJECTS_PER_CHUNK, type ObjectSource, type ProfileObjects } from './object-source.js';
import { readColumn } from './packed-column.js';
import type { ChunkEntry, ListedColumn } from './profile-format.js';
import { type StoredNames, zeroes } from './stored-names.js';
import { checkObjects, type RowCounts } from './table-check.js';
import { cellsOf, chunkCells, TABLES } from './tables.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

const counterCell = cellsOf(TABLES.objectCounters).find(({ name }) => name === 'counter')!;

export interface ObjectsInFile {
  readonly columns: readonly ListedColumn[];
  readonly chunks: readonly ChunkEntry[];
  readonly names: StoredNames;
  /** The offset of the first chunk. */
  readonly begin: number;
  /** The number of rows of each table that objects refer to. */
  readonly counts: RowCounts;
  /** Objects say their cores. */
  readonly hasCores: boolean;
}

export class ObjectReader implements ObjectSource {
  readonly count: number;
  readonly hasCores: boolean;
  readonly #cells: ReadonlyMap<string, ReturnType<typeof chunkCells>[number]>;

  constructor(
    private readonly file: ByteSource,
    private readonly of: ObjectsInFile,
  ) {
    const { columns, chunks, begin, hasCores } = of;
    this.hasCores = hasCores;
    this.#cells = new Map(chunkCells(hasCores).map((one) => [one.name, one]));
    checkColumns(columns, this.#cells);
    const mostCounters = OBJECTS_PER_CHUNK * of.names.count(counterCell);
    chunks.forEach((entry, at) => checkEntry(entry, at + 1 === chunks.length, columns.length, mostCounters));
    this.count = chunks.reduce((sum, { objects }) => sum + objects, 0);
    const end = chunks.reduce(
      (sum, { storedBytes }) => sum + storedBytes.reduce((all, bytes) => all + bytes, 0),
      begin,
    );
    if (end !== file.length) throw new ProfileError('chunks of objects', begin, `an end at ${end}`, `${file.length}`);
  }

  *chunks(): Generator<ProfileObjects> {
    const { columns, chunks, begin, counts } = this.of;
    let [offset, first] = [begin, 0];
    for (const { objects, counters, storedBytes } of chunks) {
      const tables: Record<string, object> = { objects: {}, objectCounters: {} };
      const lengthOf = (table: string): number => (table === 'objects' ? objects : counters);
      const missing = new Map(this.#cells);
      for (const [index, { name }] of columns.entries()) {
        const known = this.#cells.get(name);
        if (known !== undefined) {
          const { table, cell } = known;
          const length = lengthOf(table);
          const read = readColumn(this.file, name, cell.column.element, length, offset, storedBytes[index]);
          put(tables[table], cell.path, this.#adapt(read, cell, name, offset));
          missing.delete(name);
        }
        offset += storedBytes[index];
      }
      for (const { name, table, cell } of missing.values())
        put(tables[table], cell.path, zeroes(name, lengthOf(table), offset, mostBytes(this.file)));
      const chunk = { first, objects: tables.objects, counters: keepKnown(tables.objectCounters) } as ProfileObjects;
      checkObjects(chunk, counts);
      yield chunk;
      first += objects;
    }
  }

  close(): void {
    this.file.close();
  }

  #adapt(column: ColumnArray, cell: Cell, name: string, offset: number): ColumnArray | (number | null)[] {
    return cell === this.#cells.get('objectCounters.counter')!.cell
      ? this.of.names.translate(cell, name, column)
      : adapt(column, cell, name, this.of.names, offset, mostBytes(this.file));
  }
}

/** Drops the rows of counters that this dprof does not know. */
function keepKnown(counters: object): object {
  const { counter, ...others } = counters as Record<string, ColumnArray | (number | null)[]>;
  if (!Array.isArray(counter)) return counters;
  const isKnown = (_: unknown, row: number): boolean => counter[row] !== null;
  return {
    ...Object.fromEntries(
      Object.entries(others as Record<string, ColumnArray>).map(([name, column]) => [name, column.filter(isKnown)]),
    ),
    counter: Uint8Array.from(counter.filter(isKnown) as number[]),
  };
}

function checkColumns(columns: readonly unknown[], cells: ReadonlyMap<string, { readonly cell: Cell }>): void {
  const refuse = (expected: string, actual: string): never => {
    throw new ProfileError('column list of objects', HEADER_BYTES, expected, actual);
  };
  const seen = new Set<string>();
  for (const entry of columns) {
    const { name, element } = (entry ?? {}) as Partial<Record<keyof ListedColumn, unknown>>;
    if (typeof name !== 'string' || seen.has(name))
      return refuse('columns, each once', JSON.stringify(entry)?.slice(0, 100) ?? 'nothing');
    seen.add(name);
    const known = cells.get(name);
    if (known !== undefined) requireElement(known.cell, name, element);
  }
  for (const [name, { cell }] of cells)
    if (!seen.has(name) && (cell.column.role === 'key' || cell.column.element !== 'f64')) refuse(name, 'none');
}

function checkEntry(entry: unknown, isLast: boolean, columns: number, mostCounters: number): void {
  const { objects, counters, storedBytes } = (entry ?? {}) as Partial<Record<keyof ChunkEntry, unknown>>;
  const isCount = (value: unknown, most: number): boolean =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
  const isFull = isCount(objects, OBJECTS_PER_CHUNK) && (objects === OBJECTS_PER_CHUNK || (isLast && objects !== 0));
  const isWhole =
    Array.isArray(storedBytes) &&
    storedBytes.length === columns &&
    storedBytes.every((bytes) => isCount(bytes, Number.MAX_SAFE_INTEGER));
  if (isFull && isCount(counters, mostCounters) && isWhole) return;
  throw new ProfileError(
    'chunk of objects',
    HEADER_BYTES,
    `${OBJECTS_PER_CHUNK} objects (the last one: at most), their counters, and the bytes of ${columns} columns`,
    JSON.stringify(entry)?.slice(0, 100) ?? 'nothing',
  );
}
