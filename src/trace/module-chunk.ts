// Stage: trace -> replay. A MODULE chunk's payload to the path, the globals and the units of one linked object.

import { locateColumn, unpackColumn } from './column.js';
import { LAYOUT } from './layout.js';
import { TraceError } from './trace-error.js';

export interface ModuleChunk {
  readonly number: number;
  readonly path: string;
  /** The payload's offset in the file. */
  readonly offset: number;
  readonly globals: readonly ModuleGlobal[];
  /** The section `dprof_units` of the module. */
  readonly units: Uint8Array;
}

export interface ModuleGlobal {
  readonly address: bigint;
  /** Index of the unit within the module. */
  readonly unit: number;
  /** Index in that unit. */
  readonly variable: number;
}

const HEAD = LAYOUT.dprof_chunk_module;
const GLOBAL = LAYOUT.dprof_chunk_global;

export function readModule(payload: Buffer, offset: number, expectedNumber: number): ModuleChunk {
  if (payload.length < HEAD.size)
    throw new TraceError('MODULE chunk', offset, `at least ${HEAD.size} bytes`, `${payload.length}`);
  const number = payload.readUInt32LE(HEAD.module);
  if (number !== expectedNumber)
    throw new TraceError('module number', offset + HEAD.module, `${expectedNumber}`, `${number}`);
  const pathBytes = payload.readUInt32LE(HEAD.path_bytes);
  const count = payload.readUInt32LE(HEAD.globals_count);
  const globalsAt = HEAD.size + pathBytes;
  const unitsAt = globalsAt + count * GLOBAL.size;
  if (unitsAt > payload.length) {
    throw new TraceError(
      'MODULE chunk',
      offset + HEAD.path_bytes,
      `path and globals within ${payload.length} bytes`,
      `${pathBytes} bytes of path and ${count} globals`,
    );
  }
  const globals = Array.from({ length: count }, (_, index) => {
    const at = globalsAt + index * GLOBAL.size;
    return {
      address: payload.readBigUInt64LE(at + GLOBAL.address),
      unit: payload.readUInt32LE(at + GLOBAL.unit),
      variable: payload.readUInt32LE(at + GLOBAL.variable),
    };
  });
  const { stored, next } = locateColumn(payload, unitsAt, offset);
  if (next !== payload.length)
    throw new TraceError('MODULE chunk', offset + next, 'the end of the chunk', `${payload.length - next} more bytes`);
  return {
    number,
    path: payload.toString('utf8', HEAD.size, globalsAt),
    offset,
    globals,
    units: unpackColumn(stored, offset + unitsAt + 4),
  };
}
