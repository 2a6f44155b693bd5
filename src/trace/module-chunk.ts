// Stage: trace -> replay. The payload of a MODULE or COMMON_MODULE chunk to the path and the globals of one linked
// object, and to its units or the place where they are.

import { locateColumn, unpackColumn } from './column.js';
import { LAYOUT } from './layout.js';
import { TraceError } from './trace-error.js';

export interface ModuleChunk {
  readonly number: number;
  readonly path: string;
  /** Of the ELF file, hexadecimal; empty: nobody knows it. */
  readonly buildId: string;
  /** The payload's offset in the file. */
  readonly offset: number;
  readonly globals: readonly ModuleGlobal[];
  /** The section `dprof_units` of the module. */
  readonly units: Uint8Array;
  /** The units are those of another trace's module. Without it, the chunk has them itself. */
  readonly home?: ModuleHome;
}

/** A MODULE chunk of another trace, in the same folder. */
export interface ModuleHome {
  /** Where the trace at hand says so. */
  readonly offset: number;
  /** The other trace, without its folder, and what its header says. */
  readonly file: string;
  readonly startTimeNs: bigint;
  readonly pid: number;
  /** The module's number there. */
  readonly module: number;
  readonly checksum: number;
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
const HOME = LAYOUT.dprof_chunk_module_home;
/** Of a file's name on Linux, in bytes. */
const LONGEST_NAME = 255;

/** The beginning of both kinds of chunk. */
type ModuleBegin = Omit<ModuleChunk, 'units' | 'home'>;

export function readModule(what: string, payload: Buffer, offset: number, expectedNumber: number): ModuleChunk {
  const { begin, next: unitsAt, end } = readBegin(what, payload, offset, expectedNumber);
  const { stored, next } = locateColumn(payload.subarray(0, end), unitsAt, offset);
  if (next !== end) throw new TraceError(what, offset + next, 'the end of the chunk', `${end - next} more bytes`);
  return { ...begin, units: unpackColumn(stored, offset + unitsAt + 4) };
}

/** `unitsOf` finds the units of another trace's module. */
export function readCommonModule(
  what: string,
  payload: Buffer,
  offset: number,
  expectedNumber: number,
  unitsOf: (home: ModuleHome) => Uint8Array,
): ModuleChunk {
  const { begin, next, end } = readBegin(what, payload, offset, expectedNumber);
  const nameAt = next + HOME.size;
  const nameBytes = nameAt <= end ? payload.readUInt32LE(next + HOME.file_bytes) : 0;
  if (nameAt + nameBytes !== end)
    throw new TraceError(
      what,
      offset + next,
      `${HOME.size} bytes and a file name, to the end of the chunk`,
      `${end - next} bytes, ${nameBytes} of them said to be a name`,
    );
  const file = payload.toString('utf8', nameAt, end);
  if (/^\.{0,2}$|[/\0]/.test(file) || nameBytes > LONGEST_NAME)
    throw new TraceError(what, offset + nameAt, 'the name of a file in its folder', JSON.stringify(file.slice(0, 80)));
  const home: ModuleHome = {
    offset: offset + next,
    file,
    startTimeNs: payload.readBigUInt64LE(next + HOME.start_time_ns),
    pid: payload.readUInt32LE(next + HOME.pid),
    module: payload.readUInt32LE(next + HOME.module),
    checksum: payload.readUInt32LE(next + HOME.units_checksum),
  };
  return { ...begin, units: unitsOf(home), home };
}

/** `next`, `end`: where in the payload the rest begins, and where the build id does, which ends the chunk. */
function readBegin(
  what: string,
  payload: Buffer,
  offset: number,
  expectedNumber: number,
): { begin: ModuleBegin; next: number; end: number } {
  if (payload.length < HEAD.size)
    throw new TraceError(what, offset, `at least ${HEAD.size} bytes`, `${payload.length}`);
  const number = payload.readUInt32LE(HEAD.module);
  if (number !== expectedNumber)
    throw new TraceError(`${what}: number`, offset + HEAD.module, `${expectedNumber}`, `${number}`);
  const pathBytes = payload.readUInt32LE(HEAD.path_bytes);
  const count = payload.readUInt32LE(HEAD.globals_count);
  const globalsAt = HEAD.size + pathBytes;
  const next = globalsAt + count * GLOBAL.size;
  const buildIdBytes = payload.readUInt32LE(HEAD.build_id_bytes);
  const end = payload.length - buildIdBytes;
  if (end < HEAD.size)
    throw new TraceError(
      what,
      offset + HEAD.build_id_bytes,
      `at most ${payload.length - HEAD.size} bytes of build id`,
      `${buildIdBytes}`,
    );
  if (next > end) {
    throw new TraceError(
      what,
      offset + HEAD.path_bytes,
      `path and globals within ${end} bytes`,
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
  const [path, buildId] = [payload.toString('utf8', HEAD.size, globalsAt), payload.toString('hex', end)];
  return { begin: { number, path, buildId, offset, globals }, next, end };
}
