// Stage: profile -> file. Writes a *.dprofile (profile-format.ts draws the bytes) under an incomplete name and renames
// it when it is whole.

import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { collectGarbage } from '../base/collect-garbage.js';
import { openOutput } from '../base/output-file.js';
import { listObjects, type ProfileObjects } from './object-source.js';
import {
  chunkColumns,
  hasTable,
  HEADER_BYTES,
  PROFILE_MAGIC,
  PROFILE_VERSION,
  wholeColumns,
  type ChunkEntry,
  type Column,
  type ColumnEntry,
  type Directory,
} from './profile-format.js';
import type { Profile } from './profile.js';
import { Spool } from './spool.js';

export function writeProfile(profile: Profile, path: string): void {
  const target = openOutput(path, 'the profile');
  try {
    for (const part of encodeParts(profile)) target.write(part);
    target.finish();
  } catch (error) {
    throw target.fail(error);
  }
}

/**
 * The same for a profile of any number of objects: lets go of packed columns on the way, which their library does only
 * between two turns of the event loop.
 */
export async function writeLargeProfile(profile: Profile, path: string): Promise<void> {
  const target = openOutput(path, 'the profile');
  try {
    for (const part of encodeParts(profile)) {
      if (part === PAUSE) {
        collectGarbage(); // handles of packed columns, which are LZ4's
        await setImmediate();
      }
      target.write(part);
    }
    target.finish();
  } catch (error) {
    throw target.fail(error);
  }
}

/** Nothing to write: a moment at which to wait. */
const PAUSE = Buffer.alloc(0);
const CHUNKS_BETWEEN_PAUSES = 2;

/** The file as its parts, in order. */
export function encodeProfile(profile: Profile): Buffer[] {
  return Array.from(encodeParts(profile), (part) => Buffer.from(part));
}

/** The header has sums over what comes behind it, so objects are packed first and wait in a spool. */
function* encodeParts(profile: Profile): Generator<Buffer> {
  const spool = new Spool();
  try {
    const chunks: ChunkEntry[] = [];
    for (const chunk of listObjects(profile)) {
      chunks.push(packChunk(chunk, spool, profile.cpus !== undefined));
      if (chunks.length % CHUNKS_BETWEEN_PAUSES === 0) yield PAUSE;
    }
    const columns: ColumnEntry[] = [];
    const stored: Buffer[] = [];
    for (const { table, field, element } of wholeColumns((table) => hasTable(profile, table))) {
      const column = pickColumn(profile, table, field);
      const bytes = packColumn(column);
      columns.push({ name: `${table}.${field}`, element, length: column.length, storedBytes: bytes.length });
      stored.push(bytes);
    }
    const {
      run,
      runs,
      machine,
      schedule,
      cpus,
      schedules,
      totals,
      window,
      phases,
      marks,
      strings,
      layouts,
      sharedAddresses,
    } = profile;
    const flow = profile.flow && { by: profile.flow.by, mostPaths: profile.flow.mostPaths };
    const sampling = profile.sampled?.facts;
    const directory: Directory = {
      run,
      runs,
      machine,
      schedule,
      cpus,
      schedules,
      totals,
      window,
      phases,
      marks,
      strings,
      flow,
      sampling,
      layouts,
      sharedAddresses,
      columns,
      chunks,
    };
    const packed = lz4.compressSync(Buffer.from(JSON.stringify(directory)));
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(PROFILE_MAGIC, 0, 'latin1');
    header.writeUInt32LE(PROFILE_VERSION, 8);
    header.writeUInt32LE(packed.length, 12);
    header.writeBigUInt64LE(BigInt(stored.reduce((sum, part) => sum + part.length, 0) + spool.length), 16);
    let checksum = crc32(header.subarray(0, 28));
    for (const part of [packed, ...stored]) checksum = crc32(part, checksum);
    for (const part of spool.parts()) checksum = crc32(part, checksum);
    header.writeUInt32LE(checksum, 28);
    yield header;
    yield packed;
    yield* stored;
    yield* spool.parts();
  } finally {
    spool.close();
  }
}

function packChunk({ first: _, ...tables }: ProfileObjects, spool: Spool, hasCores: boolean): ChunkEntry {
  const columnsOf = { objects: tables.objects, objectCounters: tables.counters } as unknown as Record<
    string,
    Record<string, Column>
  >;
  const storedBytes = chunkColumns(hasCores).map(({ table, field }) => {
    const bytes = packColumn(columnsOf[table][field]);
    spool.add(bytes);
    return bytes.length;
  });
  return { objects: tables.objects.address.length, counters: tables.counters.object.length, storedBytes };
}

function packColumn(column: Column): Buffer {
  return column.length === 0
    ? Buffer.alloc(0)
    : lz4.compressSync(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
}

function pickColumn(profile: Profile, table: string, field: string): Column {
  const owner = table.split('.').reduce((value: unknown, key) => (value as Record<string, unknown>)[key], profile);
  return (owner as Record<string, Column>)[field];
}
