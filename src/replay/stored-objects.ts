// Stage: replay. The objects of a result in chunks, in the order of their numbers. An engine holds all of them, or has
// put them into a file because they were too many (engine/objects/object_table.h writes it).

import { closeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { readAt } from '../base/read-at.js';
import { hasColumns, type Columns, type ResultTable } from '../base/table-description.js';
import {
  OBJECT_COLUMNS,
  OBJECT_COUNTER_COLUMNS,
  type ObjectCounterTable,
  type ObjectTable,
  type ReplayResult,
  type StoredColumn,
  type StoredObjectTable,
} from '../contract/result.js';

export interface ObjectChunk {
  /** Number of its first object. */
  readonly first: number;
  /** The objects from number `first` on. */
  readonly objects: ObjectTable;
  /** By object, then counter; objects by their numbers. */
  readonly counters: ObjectCounterTable;
}

export function countObjects({ objects, storedObjects }: ReplayResult): number {
  return storedObjects ? storedObjects.rows.reduce((sum, rows) => sum + rows, 0) : objects.count;
}

/**
 * A result in memory is a single chunk. A chunk of a result in a file is valid until the next one, which overwrites it.
 */
export function* listObjects({ objects, objectCounters, storedObjects }: ReplayResult): Generator<ObjectChunk> {
  if (storedObjects === undefined) {
    yield { first: 0, objects, counters: sortByObject(objectCounters, objects.count) };
    return;
  }
  let first = 0;
  let bytes = new ArrayBuffer(0);
  for (let chunk = 0; chunk < storedObjects.rows.length; chunk++) {
    const needed = bytesOfChunk(storedObjects, chunk);
    if (bytes.byteLength < needed) bytes = new ArrayBuffer(needed);
    yield { first, ...readChunk(storedObjects, chunk, bytes) };
    first += storedObjects.rows[chunk];
  }
}

/** Nothing can be listed any more; the file is gone. */
export function closeObjects({ storedObjects }: ReplayResult): void {
  if (storedObjects !== undefined) closeSync(storedObjects.file);
}

function bytesOfChunk({ objectColumns, counterColumns, rows, counters }: StoredObjectTable, chunk: number): number {
  return aligned(bytesOf(objectColumns, rows[chunk])) + bytesOf(counterColumns, counters[chunk]);
}

function readChunk(
  { file, objectColumns, counterColumns, ...chunks }: StoredObjectTable,
  chunk: number,
  bytes: ArrayBuffer,
): Omit<ObjectChunk, 'first'> {
  const [rows, counters] = [chunks.rows[chunk], chunks.counters[chunk]];
  const objectBytes = aligned(bytesOf(objectColumns, rows));
  readInto(file, bytes, chunks.offset[chunk], objectBytes + bytesOf(counterColumns, counters));
  return {
    objects: tableIn(bytes, 0, OBJECT_COLUMNS, objectColumns, rows),
    counters: tableIn(bytes, objectBytes, OBJECT_COUNTER_COLUMNS, counterColumns, counters),
  };
}

function tableIn<C extends Columns>(
  bytes: ArrayBuffer,
  begin: number,
  described: C,
  stored: readonly StoredColumn[],
  count: number,
): ResultTable<C> {
  let at = begin;
  const named = stored.map(({ name, bytes: width }) => {
    const column =
      width === 8
        ? new Float64Array(bytes, at, count)
        : width === 4
          ? new Uint32Array(bytes, at, count)
          : width === 2
            ? new Uint16Array(bytes, at, count)
            : new Uint8Array(bytes, at, count);
    at += width * count;
    return [name, column] as const;
  });
  const table = Object.fromEntries(named);
  if (hasColumns(described, table)) return { count, ...table };
  throw new DprofError(
    `the engine stores other columns of objects: ${stored.map(({ name }) => name).join(', ')}`,
    "the native build is of another version: run 'npm run build'",
  );
}

function bytesOf(columns: readonly StoredColumn[], rows: number): number {
  return columns.reduce((sum, { bytes }) => sum + bytes * rows, 0);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function readInto(file: number, into: ArrayBuffer, offset: number, bytes: number): void {
  if (readAt(file, new Uint8Array(into, 0, bytes), offset) < bytes)
    throw new DprofError(
      `objects of the replay cannot be read again: not ${bytes} bytes at ${offset} of their file`,
      'this is a bug in dprof; --engine ts replays without the file',
    );
}

function sortByObject(table: ObjectCounterTable, objects: number): ObjectCounterTable {
  const { count } = table;
  const next = new Uint32Array(objects + 1);
  for (const object of table.object) next[object + 1]++;
  for (let object = 0; object < objects; object++) next[object + 1] += next[object];
  const sorted = {
    count,
    object: new Uint32Array(count),
    counter: new Uint8Array(count),
    value: new Float64Array(count),
  };
  for (let row = 0; row < count; row++) {
    const at = next[table.object[row]]++;
    sorted.object[at] = table.object[row];
    sorted.counter[at] = table.counter[row];
    sorted.value[at] = table.value[row];
  }
  return sorted;
}
