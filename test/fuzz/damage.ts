// A file of chunks with something in it changed, by a seed, and every checksum mended: what a hostile writer can do.
// Traces: a payload's bytes, a length, a number of the unit, bytes of an unpacked column. Profiles: bytes anywhere, or
// of the directory.

import { crc32 } from 'node:zlib';
import { locateColumn, packColumn, unpackColumn } from '../../src/trace/column.js';
import { ChunkKind, LAYOUT } from '../../src/trace/layout.js';
import type { RandomNumbers } from '../random/random-numbers.js';

const FILE = LAYOUT.dprof_trace_header;
const CHUNK = LAYOUT.dprof_chunk_header;
const EVENTS_HEAD = LAYOUT.dprof_chunk_events.size;
const INTERESTING = [0, 1, 0x7f, 0x80, 0xff];
const INTERESTING_32 = [0, 1, 0xff, 0xffff, 0x10000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/** One to three changes: a bit, a byte, a number, bytes left out, doubled or swapped. */
export function mutate(bytes: Uint8Array, random: RandomNumbers): Buffer {
  let changed = Buffer.from(bytes);
  for (let count = random.between(1, 3); count > 0 && changed.length > 0; count--) {
    const at = random.below(changed.length);
    const length = 1 + random.below(Math.min(16, changed.length - at));
    switch (random.below(6)) {
      case 0:
        changed[at] ^= 1 << random.below(8);
        break;
      case 1:
        changed[at] = random.pick(INTERESTING);
        break;
      case 2:
        if (at + 4 <= changed.length) changed.writeUInt32LE(random.pick(INTERESTING_32), at);
        break;
      case 3:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + length)]);
        break;
      case 4:
        changed = Buffer.concat([changed.subarray(0, at + length), changed.subarray(at)]);
        break;
      default:
        changed.copyWithin(random.below(changed.length - length + 1), at, at + length);
    }
  }
  return changed;
}

interface Chunk {
  readonly header: Buffer;
  readonly payload: Buffer;
}

/** `trace` is a whole one. */
export function damageTrace(trace: Uint8Array, random: RandomNumbers): Buffer {
  const bytes = Buffer.from(trace);
  const chunks: Chunk[] = [];
  for (let at: number = FILE.size; at < bytes.length; ) {
    const end = at + CHUNK.size + bytes.readUInt32LE(at + CHUNK.payload_bytes);
    chunks.push({
      header: Buffer.from(bytes.subarray(at, at + CHUNK.size)),
      payload: bytes.subarray(at + CHUNK.size, end),
    });
    at = end;
  }
  const head = Buffer.from(bytes.subarray(0, FILE.size));
  const choice = random.below(20);
  if (choice === 0) {
    const changed = mutate(head, random).subarray(0, FILE.size);
    if (changed.length === FILE.size) changed.writeUInt32LE(crc32(changed.subarray(0, FILE.checksum)), FILE.checksum);
    return Buffer.concat([changed, bytes.subarray(FILE.size)]);
  }
  if (choice === 1) return mutate(bytes, random); // checksums as they were
  const index = random.below(chunks.length);
  const chunk = chunks[index];
  if (choice === 2) chunks.splice(index, 1);
  else if (choice === 3) chunks.splice(random.below(chunks.length), 0, chunk);
  else if (choice === 4)
    chunk.header.writeUInt32LE(random.pick(INTERESTING_32), random.pick([CHUNK.kind, CHUNK.thread, CHUNK.sequence]));
  else chunks[index] = { header: chunk.header, payload: damagePayload(chunk, random) };
  return Buffer.concat([head, ...chunks.flatMap(seal)]);
}

function damagePayload({ header, payload }: Chunk, random: RandomNumbers): Buffer {
  const kind = header.readUInt16LE(CHUNK.kind);
  if (random.chance(25) || (kind !== ChunkKind.events && kind !== ChunkKind.module)) return mutate(payload, random);
  if (kind === ChunkKind.module) {
    const column = locateLast(payload);
    return Buffer.concat([
      payload.subarray(0, column),
      packColumn(mutate(unpackColumn(locateColumn(payload, column, 0).stored, 0), random)),
    ]);
  }
  const columns: Uint8Array[] = [];
  for (let at: number = EVENTS_HEAD; at < payload.length; ) {
    const { stored, next } = locateColumn(payload, at, 0);
    columns.push(Uint8Array.from(unpackColumn(stored, 0)));
    at = next;
  }
  const column = random.below(columns.length);
  columns[column] = mutate(columns[column], random);
  const own = random.chance(10) ? mutate(payload.subarray(0, EVENTS_HEAD), random) : payload.subarray(0, EVENTS_HEAD);
  return Buffer.concat([own, ...columns.map((raw) => packColumn(raw))]);
}

/** Finds the beginning of the units' column, behind the module's path and globals. */
function locateLast(payload: Buffer): number {
  const { size, path_bytes: path, globals_count: globals } = LAYOUT.dprof_chunk_module;
  return size + payload.readUInt32LE(path) + payload.readUInt32LE(globals) * LAYOUT.dprof_chunk_global.size;
}

function seal({ header, payload }: Chunk): Buffer[] {
  header.writeUInt32LE(payload.length, CHUNK.payload_bytes);
  header.writeUInt32LE(crc32(payload), CHUNK.payload_checksum);
  header.writeUInt32LE(crc32(header.subarray(0, CHUNK.header_checksum)), CHUNK.header_checksum);
  return [header, payload];
}
