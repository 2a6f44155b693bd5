// Stage: profile. The objects of a profile in chunks: code that sums over all of them, or copies them, needs memory for
// one chunk only.

import { lowerBound } from '../base/lower-bound.js';
import { ELEMENTS, pick, put, type Cell, type ColumnArray } from '../base/table-description.js';
import { cellsOf, TABLES, type ObjectColumns, type ProfileTables } from './tables.js';

/** Files have chunks of the same size. */
export const OBJECTS_PER_CHUNK = 65_536;

export interface ProfileObjects {
  /** Row of its first object. */
  readonly first: number;
  readonly objects: ObjectColumns;
  /** Objects by their row in the profile. */
  readonly counters: ProfileTables['objectCounters'];
}

/** A place outside memory that holds a profile's objects. */
export interface ObjectSource {
  readonly count: number;
  /** Whether objects say their cores. */
  readonly hasCores: boolean;
  /** Each chunk but the last has OBJECTS_PER_CHUNK objects. */
  chunks(): Iterable<ProfileObjects>;
  close(): void;
}

/** The part of a profile that says its objects. */
export interface ObjectPart extends Pick<ProfileTables, 'objects' | 'objectCounters'> {
  /**
   * Where the objects are, if they are more than memory is for. `objects` and `objectCounters` are then read, whole,
   * when they are asked for; listObjects gives either in chunks.
   */
  readonly objectSource?: ObjectSource;
}

export function objectsOf(source: ObjectSource): ObjectPart {
  return {
    objectSource: source,
    objects: columnsOnDemand(source, cellsOf(TABLES.objects, source.hasCores), ({ objects }) => objects),
    objectCounters: columnsOnDemand(source, cellsOf(TABLES.objectCounters), ({ counters }) => counters),
  };
}

/** All of the source in memory, read once; its chunks must stay as they are when the next one comes. */
export function loadObjects(source: ObjectSource): ObjectPart {
  const { objects, counters } = concatenate([...source.chunks()]);
  return { objects, objectCounters: counters };
}

export function countObjects({ objects, objectSource }: ObjectPart): number {
  return objectSource?.count ?? objects.address.length;
}

export function* listObjects({ objects, objectCounters, objectSource }: ObjectPart): Generator<ProfileObjects> {
  if (objectSource !== undefined) return yield* objectSource.chunks();
  yield* rechunk([{ first: 0, objects, counters: objectCounters }]);
}

/** Cuts consecutive rows anew into chunks of the size that a source has. */
export function* rechunk(parts: Iterable<ProfileObjects>): Generator<ProfileObjects> {
  let kept: ProfileObjects[] = [];
  let count = 0;
  for (const part of parts) {
    const length = part.objects.address.length;
    for (let begin = 0; begin < length; ) {
      const end = Math.min(length, begin + OBJECTS_PER_CHUNK - count);
      kept.push(slicePart(part, begin, end));
      count += end - begin;
      begin = end;
      if (count < OBJECTS_PER_CHUNK) continue;
      yield joinParts(kept);
      [kept, count] = [[], 0];
    }
  }
  if (count > 0) yield joinParts(kept);
}

function slicePart({ first, objects, counters }: ProfileObjects, begin: number, end: number): ProfileObjects {
  const [from, to] = [begin, end].map((row) => lowerBound(counters.object, first + row));
  return {
    first: first + begin,
    objects: sliceColumns(objects, begin, end),
    counters: sliceColumns(counters, from, to),
  };
}

function joinParts(parts: readonly ProfileObjects[]): ProfileObjects {
  return parts.length === 1 ? parts[0] : { first: parts[0].first, ...concatenate(parts) };
}

function concatenate(parts: readonly ProfileObjects[]): Omit<ProfileObjects, 'first'> {
  const join = <Columns extends object>(tables: readonly Columns[], cells: readonly Cell[]): Columns => {
    const joined = {};
    for (const cell of cells)
      put(
        joined,
        cell.path,
        joinColumns(
          tables.map((table) => pick(table, cell.path) as ColumnArray),
          cell,
        ),
      );
    return joined as Columns;
  };
  const hasCores = parts.length > 0 && parts[0].objects.core !== undefined;
  return {
    objects: join(
      parts.map(({ objects }) => objects),
      cellsOf(TABLES.objects, hasCores),
    ),
    counters: join(
      parts.map(({ counters }) => counters),
      cellsOf(TABLES.objectCounters),
    ),
  };
}

/** Lets go of what the objects of the profile lie in; they can be listed no more. */
export function closeObjects({ objectSource }: ObjectPart): void {
  objectSource?.close();
}

export function sliceColumns<Columns extends object>(columns: Columns, begin: number, end: number): Columns {
  return mapColumns(columns, (column) => column.subarray(begin, end));
}

function mapColumns<Columns extends object>(columns: Columns, map: (column: ColumnArray) => ColumnArray): Columns {
  return Object.fromEntries(
    Object.entries(columns as Record<string, ColumnArray>).map(([name, column]) => [name, map(column)]),
  ) as Columns;
}

/** One column behind another, of equal tables. */
function joinColumns(parts: readonly ColumnArray[], { column }: Cell): ColumnArray {
  const joined = new ELEMENTS[column.element](parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function columnsOnDemand<Columns extends object>(
  source: ObjectSource,
  cells: readonly Cell[],
  of: (chunk: ProfileObjects) => Columns,
): Columns {
  const columns = {};
  for (const cell of cells) {
    let column: ColumnArray | undefined;
    const load = (): ColumnArray =>
      joinColumns(
        Array.from(source.chunks(), (chunk) => (pick(of(chunk), cell.path) as ColumnArray).slice()),
        cell,
      );
    Object.defineProperty(columns, cell.name, { enumerable: true, get: () => (column ??= load()) });
  }
  return columns as Columns;
}
