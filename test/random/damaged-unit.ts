// A trace with one number of its unit's regions, nodes, edges or derived slots changed, and every checksum mended.

import { crc32 } from 'node:zlib';
import { packColumn } from '../../src/trace/column.js';
import { ChunkKind, LAYOUT } from '../../src/trace/layout.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { readUnits } from '../../src/trace/unit-reader.js';
import { rowsOf } from '../trace/unit-rows.js';
import { writeUnit } from '../trace/unit-writer.js';
import type { RandomNumbers } from './random-numbers.js';
import { traceFile } from './trace-file.js';

const CHUNK = LAYOUT.dprof_chunk_header;

export function damageRegions(trace: Uint8Array, random: RandomNumbers): Uint8Array {
  const bytes = Buffer.from(trace);
  const { chunks, modules } = readTrace(traceFile(trace));
  const unit = rowsOf(readUnits(modules[0].units)[0]);
  const derived = unit.slots.filter((slot) => slot.base !== 0);
  const rows = random.pick<readonly object[]>([unit.regions, unit.nodes, unit.nodes, unit.edges, unit.edges, derived]);
  const row = random.pick(rows) as Record<string, number | boolean>;
  const fields = rows === derived ? ['base', 'delta'] : Object.keys(row);
  const field = random.pick(fields);
  const value = row[field];
  row[field] =
    typeof value === 'boolean' ? !value : Math.max(field === 'delta' ? -8 : 0, value + random.pick([-2, -1, 1, 2, 40]));
  const chunk = chunks.find(({ kind }) => kind === ChunkKind.module);
  if (chunk === undefined) throw new Error('a trace without a module');
  const before =
    LAYOUT.dprof_chunk_module.size +
    Buffer.byteLength(modules[0].path) +
    modules[0].globals.length * LAYOUT.dprof_chunk_global.size;
  const payload = Buffer.concat([bytes.subarray(chunk.offset, chunk.offset + before), packColumn(writeUnit(unit))]);
  const header = Buffer.from(bytes.subarray(chunk.offset - CHUNK.size, chunk.offset));
  header.writeUInt32LE(payload.length, CHUNK.payload_bytes);
  header.writeUInt32LE(crc32(payload), CHUNK.payload_checksum);
  header.writeUInt32LE(crc32(header.subarray(0, CHUNK.header_checksum)), CHUNK.header_checksum);
  return Buffer.concat([
    bytes.subarray(0, chunk.offset - CHUNK.size),
    header,
    payload,
    bytes.subarray(chunk.offset + chunk.bytes),
  ]);
}
