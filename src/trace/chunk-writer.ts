// Stage: steps -> trace. Chunks as bytes: the mirror of chunk-reader.ts and module-chunk.ts.

import { crc32 } from 'node:zlib';
import { packColumn } from './column.js';
import { CHUNK_MAGIC, LAYOUT } from './layout.js';
import type { ModuleGlobal } from './module-chunk.js';

const CHUNK = LAYOUT.dprof_chunk_header;
const MODULE = LAYOUT.dprof_chunk_module;
const GLOBAL = LAYOUT.dprof_chunk_global;

/** A chunk's header, which its payload follows. `thread`, `sequence`: of a chunk with steps. */
export function chunkHeader(kind: number, payload: Uint8Array, thread = 0, sequence = 0): Buffer {
  const header = Buffer.alloc(CHUNK.size);
  header.writeUInt32LE(CHUNK_MAGIC, CHUNK.magic);
  header.writeUInt16LE(kind, CHUNK.kind);
  header.writeUInt32LE(thread, CHUNK.thread);
  header.writeUInt32LE(sequence, CHUNK.sequence);
  header.writeUInt32LE(payload.length, CHUNK.payload_bytes);
  header.writeUInt32LE(crc32(payload), CHUNK.payload_checksum);
  header.writeUInt32LE(crc32(header.subarray(0, CHUNK.header_checksum)), CHUNK.header_checksum);
  return header;
}

/** The payload of a MODULE chunk; `units`: the module's section of units. */
export function modulePayload(
  number: number,
  path: string,
  globals: readonly ModuleGlobal[],
  units: Uint8Array,
): Buffer {
  return Buffer.concat([moduleBegin(number, path, globals), packColumn(units)]);
}

/** How a MODULE and a COMMON_MODULE chunk begin. */
export function moduleBegin(number: number, path: string, globals: readonly ModuleGlobal[]): Buffer {
  const name = Buffer.from(path, 'utf8');
  const bytes = Buffer.alloc(MODULE.size + name.length + globals.length * GLOBAL.size);
  bytes.writeUInt32LE(number, MODULE.module);
  bytes.writeUInt32LE(name.length, MODULE.path_bytes);
  bytes.writeUInt32LE(globals.length, MODULE.globals_count);
  name.copy(bytes, MODULE.size);
  globals.forEach((global, index) => {
    const at = MODULE.size + name.length + index * GLOBAL.size;
    bytes.writeBigUInt64LE(global.address, at + GLOBAL.address);
    bytes.writeUInt32LE(global.unit, at + GLOBAL.unit);
    bytes.writeUInt32LE(global.variable, at + GLOBAL.variable);
  });
  return bytes;
}
