// Stage: profile. The objects of a profile, so many rows at a time: what sums over all of them, or copies them, needs
// no more than that in memory.

import { COLUMNS, ELEMENTS, objectColumns, type Column, type Element } from './profile-format.js';
import type { ObjectColumns, ObjectCounterColumns, Profile } from './profile.js';

/** In a file too. */
export const OBJECTS_PER_CHUNK = 65_536;

export interface ProfileObjects {
  /** Row of its first object. */
  readonly first: number;
  readonly objects: ObjectColumns;
  /** Objects by their row in the profile. */
  readonly counters: ObjectCounterColumns;
}

/** Where objects are that are not in memory. */
export interface ObjectSource {
  readonly count: number;
  /** Whether objects say their cores. */
  readonly hasCores: boolean;
  /** Each but the last of OBJECTS_PER_CHUNK. */
  chunks(): Iterable<ProfileObjects>;
  close(): void;
}

/** The part of a profile that says its objects; columns of a source are read when they are asked for, whole. */
export type ObjectPart = Pick<Profile, 'objects' | 'objectCounters' | 'objectSource'>;

export function objectsOf(source: ObjectSource): ObjectPart {
  return {
    objectSource: source,
    objects: columnsOnDemand(source, objectColumns(source.hasCores), ({ objects }) => objects),
    objectCounters: columnsOnDemand(source, COLUMNS.objectCounters, ({ counters }) => counters),
  };
}

/** All of the source in memory, read once; its chunks must stay as they are when the next one comes. */
export function loadObjects(source: ObjectSource): ObjectPart {
  const { objects, counters } = concatenate([...source.chunks()]);
  return { objects, objectCounters: counters };
}

export function countObjects({ objects, objectSource }: Profile): number {
  return objectSource?.count ?? objects.address.length;
}

export function* listObjects({ objects, objectCounters, objectSource }: Profile): Generator<ProfileObjects> {
  if (objectSource !== undefined) return yield* objectSource.chunks();
  yield* rechunk([{ first: 0, objects, counters: objectCounters }]);
}

/** Of consecutive rows, however they are cut, chunks as a source has them. */
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
  const join = <Columns extends object>(
    tables: readonly Columns[],
    elements: Readonly<Record<string, Element>>,
  ): Columns =>
    Object.fromEntries(
      Object.entries(elements).map(([name, element]) => [
        name,
        joinColumns(
          tables.map((table) => (table as Record<string, Column>)[name]),
          element,
        ),
      ]),
    ) as Columns;
  const hasCores = parts.length > 0 && parts[0].objects.core !== undefined;
  return {
    objects: join(
      parts.map(({ objects }) => objects),
      objectColumns(hasCores),
    ),
    counters: join(
      parts.map(({ counters }) => counters),
      COLUMNS.objectCounters,
    ),
  };
}

/** Lets go of what the objects of the profile lie in; they can be listed no more. */
export function closeObjects({ objectSource }: Profile): void {
  objectSource?.close();
}

export function sliceColumns<Columns extends object>(columns: Columns, begin: number, end: number): Columns {
  return mapColumns(columns, (column) => column.subarray(begin, end));
}

export function mapColumns<Columns extends object>(
  columns: Columns,
  map: (column: Column, name: string) => Column,
): Columns {
  return Object.fromEntries(
    Object.entries(columns as Record<string, Column>).map(([name, column]) => [name, map(column, name)]),
  ) as Columns;
}

/** One column behind another, of equal tables. */
export function joinColumns(parts: readonly Column[], element: Element): Column {
  const joined = new ELEMENTS[element](parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function columnsOnDemand<Columns extends object>(
  source: ObjectSource,
  elements: Readonly<Record<string, Element>>,
  pick: (chunk: ProfileObjects) => Columns,
): Columns {
  const columns: Record<string, Column> = {};
  for (const [name, element] of Object.entries(elements)) {
    let column: Column | undefined;
    const load = (): Column =>
      joinColumns(
        Array.from(source.chunks(), (chunk) => (pick(chunk) as Record<string, Column>)[name].slice()),
        element,
      );
    Object.defineProperty(columns, name, { enumerable: true, get: () => (column ??= load()) });
  }
  return columns as Columns;
}

/** First row of a sorted column that is not below `limit`. */
export function lowerBound(column: Uint32Array, limit: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
