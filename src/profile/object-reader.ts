// Stage: file -> profile. The objects of a profile's file, one chunk at a time; a chunk is checked when it is read,
// where chunks lie before that.

import { OBJECT_COUNTERS } from '../replay/result.js';
import type { ByteSource } from './byte-source.js';
import { OBJECTS_PER_CHUNK, type ObjectSource, type ProfileObjects } from './object-source.js';
import { chunkColumns, HEADER_BYTES, ProfileError, type ChunkEntry, type Column } from './profile-format.js';
import { checkObjects, type NamedRows } from './profile-indices.js';
import { readColumn } from './packed-column.js';

export class ObjectReader implements ObjectSource {
  readonly count: number;
  readonly hasCores: boolean;
  private readonly columns: ReturnType<typeof chunkColumns>;

  /** `begin`: where the first chunk does, in the file. */
  constructor(
    private readonly file: ByteSource,
    private readonly entries: readonly ChunkEntry[],
    private readonly begin: number,
    private readonly named: NamedRows,
  ) {
    this.hasCores = named.cores !== undefined;
    this.columns = chunkColumns(this.hasCores);
    entries.forEach((entry, index) => checkEntry(entry, index + 1 === entries.length, this.columns.length));
    this.count = entries.reduce((sum, { objects }) => sum + objects, 0);
    const end = entries.reduce(
      (sum, { storedBytes }) => sum + storedBytes.reduce((all, bytes) => all + bytes, 0),
      begin,
    );
    if (end !== file.length) throw new ProfileError('chunks of objects', begin, `an end at ${end}`, `${file.length}`);
  }

  *chunks(): Generator<ProfileObjects> {
    let [offset, first] = [this.begin, 0];
    for (const { objects, counters, storedBytes } of this.entries) {
      const tables: Record<string, Record<string, Column>> = { objects: {}, objectCounters: {} };
      for (const [index, { table, field, element }] of this.columns.entries()) {
        const length = table === 'objects' ? objects : counters;
        tables[table][field] = readColumn(this.file, `${table}.${field}`, element, length, offset, storedBytes[index]);
        offset += storedBytes[index];
      }
      const chunk = { first, objects: tables.objects, counters: tables.objectCounters } as unknown as ProfileObjects;
      checkObjects(chunk, this.named);
      yield chunk;
      first += objects;
    }
  }

  close(): void {
    this.file.close();
  }
}

function checkEntry(entry: unknown, isLast: boolean, columns: number): void {
  const { objects, counters, storedBytes } = (entry ?? {}) as Partial<Record<keyof ChunkEntry, unknown>>;
  const isCount = (value: unknown, most: number): boolean =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
  const isFull = isCount(objects, OBJECTS_PER_CHUNK) && (objects === OBJECTS_PER_CHUNK || (isLast && objects !== 0));
  const isWhole =
    Array.isArray(storedBytes) &&
    storedBytes.length === columns &&
    storedBytes.every((bytes) => isCount(bytes, Number.MAX_SAFE_INTEGER));
  if (isFull && isCount(counters, OBJECTS_PER_CHUNK * OBJECT_COUNTERS.length) && isWhole) return;
  throw new ProfileError(
    'chunk of objects',
    HEADER_BYTES,
    `${OBJECTS_PER_CHUNK} objects (the last one: at most), their counters, and the bytes of ${columns} columns`,
    JSON.stringify(entry)?.slice(0, 100) ?? 'nothing',
  );
}
