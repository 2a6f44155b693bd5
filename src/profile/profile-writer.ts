// Stage: profile -> file. Writes a *.dprofile (profile-format.ts draws the bytes) under an incomplete name and renames
// it when it is whole.

import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { collectGarbage } from '../base/collect-garbage.js';
import { openOutput } from '../base/output-file.js';
import { pick, type Cell, type ColumnArray } from '../base/table-description.js';
import { listObjects, type ProfileObjects } from './object-source.js';
import {
  PROFILE_MAGIC,
  PROFILE_VERSION,
  pickFacts,
  type ChunkEntry,
  type ColumnEntry,
  type Directory,
} from './profile-format.js';
import type { Profile } from './profile.js';
import { Spool } from './spool.js';
import { ALL_TABLES, cellsOf, chunkCells, CHUNKED_TABLES, type PlacedTable } from './tables.js';
import { HEADER_BYTES } from './profile-error.js';

/**
 * A profile may have any number of objects, so packed columns are let go of on the way. Their library does that only
 * between two turns of the event loop.
 */
export async function writeProfile(profile: Profile, path: string): Promise<void> {
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

/** An empty part, at which the writer can wait. */
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
    for (const { name, path, cells } of wholeTables(profile)) {
      for (const cell of cells) {
        const column = pick(profile, [...path, ...cell.path]) as ColumnArray;
        const bytes = packColumn(column);
        columns.push({
          name: `${name}.${cell.name}`,
          element: cell.column.element,
          length: column.length,
          storedBytes: bytes.length,
        });
        stored.push(bytes);
      }
    }
    const directory = directoryOf(profile, columns, chunks);
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

function directoryOf(profile: Profile, columns: readonly ColumnEntry[], chunks: readonly ChunkEntry[]): Directory {
  const named = [...wholeTables(profile).flatMap(({ cells }) => cells), ...chunkCells(true).map(({ cell }) => cell)];
  return {
    ...pickFacts(profile),
    flow: profile.flow && {
      by: profile.flow.by,
      mostPaths: profile.flow.mostPaths,
      mostSteps: profile.flow.mostSteps,
    },
    sampling: profile.sampled?.facts,
    names: Object.fromEntries(
      named.flatMap(({ column: { names } }) => (names === undefined ? [] : [[names.name, names.members]])),
    ),
    columns,
    objectColumns: chunkCells(profile.cpus !== undefined).map(({ name, cell }) => ({
      name,
      element: cell.column.element,
    })),
    chunks,
  };
}

/** The tables that the profile has, without those of objects. */
function wholeTables(profile: Profile): readonly (PlacedTable & { readonly cells: readonly Cell[] })[] {
  return ALL_TABLES.filter(({ name, path }) => !CHUNKED_TABLES.includes(name) && pick(profile, path) !== undefined).map(
    (placed) => ({ ...placed, cells: cellsOf(placed.table) }),
  );
}

function packChunk({ objects, counters }: ProfileObjects, spool: Spool, hasCores: boolean): ChunkEntry {
  const tables = { objects, objectCounters: counters };
  const storedBytes = chunkCells(hasCores).map(({ table, cell }) => {
    const bytes = packColumn(pick(tables, [table, ...cell.path]) as ColumnArray);
    spool.add(bytes);
    return bytes.length;
  });
  return { objects: objects.address.length, counters: counters.object.length, storedBytes };
}

function packColumn(column: ColumnArray): Buffer {
  return column.length === 0
    ? Buffer.alloc(0)
    : lz4.compressSync(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
}
