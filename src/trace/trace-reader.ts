// Stage: trace -> replay. A trace file to its header, its JSON chunks, its modules' bytes and a directory of the
// events, which stay in the file. Every checksum is verified here, once. A trace is whole only if its END chunk says
// so; what was cut short counts up to the last whole chunk.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DprofError } from '../base/dprof-error.js';
import { readAt } from '../base/read-at.js';
import type { TraceDamage } from '../contract/damage.js';
import type { ThreadChunks } from '../contract/input.js';
import {
  CHUNK_MAGIC,
  CHUNK_MAX_BYTES,
  ChunkKind,
  LAYOUT,
  TRACE_FLAG_ASLR,
  TRACE_MAGIC,
  TRACE_VERSION,
  TRACE_VERSION_NAMES,
} from './layout.js';
import { readMappings, type Mapping } from './mapping-chunk.js';
import { readModule, type ModuleChunk } from './module-chunk.js';
import { isOfThread, ThreadChunkIndex, type ChunkEntry } from './thread-chunk-index.js';
import { TraceError } from './trace-error.js';

export type { ModuleChunk } from './module-chunk.js';
export type { ChunkEntry } from './thread-chunk-index.js';

export interface TraceHeader {
  readonly version: number;
  readonly versionName: string;
  readonly stampsPerSecond: number;
  readonly startTimeNs: bigint;
  readonly architecture: 'x86-64' | 'aarch64' | 'unknown';
  /** Address randomisation was on. */
  readonly aslr: boolean;
  readonly pageBytes: number;
  readonly pid: number;
}

export interface ProcessInfo {
  readonly command: readonly string[];
  readonly executable: string;
  readonly [key: string]: unknown;
}

export interface EndInfo {
  readonly [key: string]: unknown;
}

export interface TraceContents {
  readonly path: string;
  readonly header: TraceHeader;
  readonly process: ProcessInfo;
  readonly end: EndInfo | null;
  readonly truncated: boolean;
  readonly endOffset: number;
  readonly modules: readonly ModuleChunk[];
  readonly threads: readonly ThreadChunks[];
  /** Chunks of threads whose checksum fails; null: none. */
  readonly damaged: TraceDamage | null;
  /** Shared memory that the process mapped, and where it was no more, by stamp. */
  readonly mappings: readonly Mapping[];
  /** Every whole chunk in file order, for `dprof dump`. */
  readonly chunks: readonly ChunkEntry[];
}

/** A kind of chunk that only the reader of a live trace needs (dprof/live_trace.h). */
const LIVE_QUIET = 64;
const FILE = LAYOUT.dprof_trace_header;
const CHUNK = LAYOUT.dprof_chunk_header;
const ARCHITECTURES = ['unknown', 'x86-64', 'aarch64'] as const;
const NEWER_HINT =
  `this dprof reads version ${TRACE_VERSION} ("${TRACE_VERSION_NAMES[TRACE_VERSION]}"): read the trace with the ` +
  'dprof that recorded it, or a newer one';
const OLDER_HINT = 'recorded by an older dprof; record again';

export function readTrace(path: string): TraceContents {
  const file = TraceFile.open(path);
  try {
    return readContents(file);
  } finally {
    file.close();
  }
}

/** Random access to an open trace file. */
export class TraceFile {
  /** Traces that are read together with this one, by path. */
  private readonly others = new Map<string, TraceFile>();

  private constructor(
    readonly path: string,
    private readonly descriptor: number,
    readonly sizeBytes: number,
  ) {}

  static open(path: string): TraceFile {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, 'r');
      const status = fstatSync(descriptor);
      if (status.isFile()) return new TraceFile(path, descriptor, status.size);
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      throw new DprofError(
        `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
        'name a trace that dprof record wrote',
      );
    }
    closeSync(descriptor);
    throw new DprofError(`cannot read ${path}: not a regular file`, 'name a trace that dprof record wrote');
  }

  /** At the end of the file it returns fewer bytes than asked for. */
  read(offset: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(bytes, this.sizeBytes - offset)));
    return buffer.subarray(0, readAt(this.descriptor, buffer, offset));
  }

  /** The trace at `path`, for a replay of several. It is closed with this one. */
  beside(path: string): TraceFile {
    if (path === this.path) return this;
    let other = this.others.get(path);
    if (other === undefined) this.others.set(path, (other = TraceFile.open(path)));
    return other;
  }

  close(): void {
    for (const other of this.others.values()) other.close();
    closeSync(this.descriptor);
  }
}

function readContents(file: TraceFile): TraceContents {
  const header = readHeader(file);
  const chunks: ChunkEntry[] = [];
  const modules: ModuleChunk[] = [];
  const threads = new ThreadChunkIndex(file.path);
  const mappings: Mapping[] = [];
  let process: ProcessInfo | null = null;
  let end: EndInfo | null = null;
  let offset: number = FILE.size;
  while (offset < file.sizeBytes) {
    if (end)
      throw new TraceError(
        `${file.path}: chunk`,
        offset,
        'the end of the file after the END chunk',
        `${file.sizeBytes - offset} more bytes`,
      );
    const chunk = readChunk(file, offset);
    if (!chunk) break;
    const { entry, payload, isSound } = chunk;
    if ((entry.kind === ChunkKind.process) !== (chunks.length === 0)) {
      throw new TraceError(
        `${file.path}: chunk`,
        offset,
        'one PROCESS chunk, the first',
        `kind ${entry.kind} as chunk ${chunks.length}`,
      );
    }
    if (entry.kind === ChunkKind.process) process = readProcess(file, entry, payload);
    else if (entry.kind === ChunkKind.end) end = readJson(file, entry, payload);
    else if (entry.kind === ChunkKind.module) modules.push(readModule(payload, entry.offset, modules.length));
    else if (entry.kind === ChunkKind.mappings)
      for (const mapping of readMappings(payload, entry.offset)) mappings.push(mapping);
    else if (isOfThread(entry.kind)) threads.add(entry, isSound);
    else if (entry.kind !== LIVE_QUIET)
      throw new TraceError(`${file.path}: chunk kind`, offset + CHUNK.kind, '1 to 6', `${entry.kind}`, NEWER_HINT);
    chunks.push(entry);
    offset = entry.offset + entry.bytes;
  }
  return {
    path: file.path,
    header,
    process: process ?? { command: [], executable: '' },
    end,
    truncated: end === null || typeof end.stopped === 'string',
    endOffset: offset,
    modules,
    threads: threads.freeze(),
    damaged: threads.damage(),
    mappings: mappings.sort((a, b) => (a.stamp < b.stamp ? -1 : a.stamp > b.stamp ? 1 : 0)),
    chunks,
  };
}

function readHeader(file: TraceFile): TraceHeader {
  const bytes = file.read(0, FILE.size);
  const magic = bytes.subarray(0, 8).toString('latin1');
  if (magic !== TRACE_MAGIC) {
    throw new TraceError(
      `${file.path}: not a dprof trace: magic`,
      0,
      `"${TRACE_MAGIC}"`,
      bytes.length === 0 ? 'an empty file' : JSON.stringify(magic),
      'name a *.dptrace file that dprof record wrote',
    );
  }
  if (bytes.length < FILE.size)
    throw new TraceError(
      `${file.path}: file header`,
      0,
      `${FILE.size} bytes`,
      `${bytes.length}`,
      'the recording ended before it began; record again',
    );
  const version = bytes.readUInt32LE(FILE.version);
  if (version !== TRACE_VERSION) {
    const hint = version > TRACE_VERSION ? NEWER_HINT : OLDER_HINT;
    throw new TraceError(
      `${file.path}: trace version`,
      FILE.version,
      nameVersion(TRACE_VERSION),
      nameVersion(version),
      hint,
    );
  }
  const features = bytes.readBigUInt64LE(FILE.features);
  if (features !== 0n)
    throw new TraceError(`${file.path}: trace features`, FILE.features, '0', `0x${features.toString(16)}`, NEWER_HINT);
  const checksum = crc32(bytes.subarray(0, FILE.checksum));
  if (checksum !== bytes.readUInt32LE(FILE.checksum)) {
    throw new TraceError(
      `${file.path}: checksum of the file header`,
      FILE.checksum,
      hex(checksum),
      hex(bytes.readUInt32LE(FILE.checksum)),
    );
  }
  const headerBytes = bytes.readUInt32LE(FILE.header_bytes);
  if (headerBytes !== FILE.size)
    throw new TraceError(`${file.path}: header size`, FILE.header_bytes, `${FILE.size}`, `${headerBytes}`);
  return {
    version,
    versionName: TRACE_VERSION_NAMES[version],
    stampsPerSecond: Number(bytes.readBigUInt64LE(FILE.stamps_per_second)),
    startTimeNs: bytes.readBigUInt64LE(FILE.start_time_ns),
    architecture: ARCHITECTURES[bytes.readUInt32LE(FILE.architecture)] ?? 'unknown',
    aslr: (bytes.readUInt32LE(FILE.flags) & TRACE_FLAG_ASLR) !== 0,
    pageBytes: bytes.readUInt32LE(FILE.page_bytes),
    pid: bytes.readUInt32LE(FILE.pid),
  };
}

interface ReadChunk {
  readonly entry: ChunkEntry;
  readonly payload: Buffer;
  /** The payload is as its checksum says; only the chunks of threads may be damaged. */
  readonly isSound: boolean;
}

/**
 * Undefined where the file was cut short: nothing, or nothing but zeros, stands where the rest of the chunk belongs.
 */
function readChunk(file: TraceFile, offset: number): ReadChunk | undefined {
  const header = file.read(offset, CHUNK.size);
  if (header.length < CHUNK.size) return undefined;
  const checksum = crc32(header.subarray(0, CHUNK.header_checksum));
  if (header.readUInt32LE(CHUNK.magic) !== CHUNK_MAGIC || checksum !== header.readUInt32LE(CHUNK.header_checksum)) {
    if (isZeroFrom(file, offset)) return undefined;
    const found = header.readUInt32LE(CHUNK.magic) !== CHUNK_MAGIC;
    throw found
      ? new TraceError(`${file.path}: chunk magic`, offset, hex(CHUNK_MAGIC), hex(header.readUInt32LE(CHUNK.magic)))
      : new TraceError(
          `${file.path}: checksum of a chunk header`,
          offset + CHUNK.header_checksum,
          hex(checksum),
          hex(header.readUInt32LE(CHUNK.header_checksum)),
        );
  }
  const entry: ChunkEntry = {
    kind: header.readUInt16LE(CHUNK.kind),
    thread: header.readUInt32LE(CHUNK.thread),
    sequence: header.readUInt32LE(CHUNK.sequence),
    offset: offset + CHUNK.size,
    bytes: header.readUInt32LE(CHUNK.payload_bytes),
  };
  if (entry.bytes > CHUNK_MAX_BYTES)
    throw new TraceError(
      `${file.path}: chunk size`,
      offset + CHUNK.payload_bytes,
      `at most ${CHUNK_MAX_BYTES} bytes`,
      `${entry.bytes}`,
    );
  const payload = file.read(entry.offset, entry.bytes);
  if (payload.length < entry.bytes) return undefined;
  const found = header.readUInt32LE(CHUNK.payload_checksum);
  const expected = crc32(payload);
  if (found !== expected) {
    if (isZeroFrom(file, entry.offset + entry.bytes)) return undefined;
    if (isOfThread(entry.kind)) return { entry, payload, isSound: false };
    throw new TraceError(
      `${file.path}: checksum of the chunk at ${offset}, stored`,
      offset + CHUNK.payload_checksum,
      hex(expected),
      hex(found),
    );
  }
  return { entry, payload, isSound: true };
}

/**
 * A file system may leave a tail of zeros behind the last bytes that were written. True if the rest of the file is
 * zeros or empty.
 */
function isZeroFrom(file: TraceFile, offset: number): boolean {
  for (let at = offset; at < file.sizeBytes; at += 1 << 20) {
    if (file.read(at, 1 << 20).some((byte) => byte !== 0)) return false;
  }
  return true;
}

function readProcess(file: TraceFile, entry: ChunkEntry, payload: Buffer): ProcessInfo {
  const process = readJson(file, entry, payload);
  const { command } = process;
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) {
    throw new TraceError(
      `${file.path}: PROCESS chunk`,
      entry.offset,
      'a command, which is a list of words',
      JSON.stringify(command)?.slice(0, 40) ?? 'none',
    );
  }
  return process as ProcessInfo;
}

function readJson(file: TraceFile, entry: ChunkEntry, payload: Buffer): Record<string, unknown> {
  return parseJsonChunk(file.path, entry.offset, payload.toString('utf8'));
}

export function parseJsonChunk(path: string, offset: number, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below with its place.
  }
  throw new TraceError(`${path}: JSON chunk`, offset, 'a JSON object', JSON.stringify(text.slice(0, 40)));
}

/** `2 ("paths")`; a version of the future has no name yet. */
function nameVersion(version: number): string {
  const name = TRACE_VERSION_NAMES[version];
  return name ? `${version} ("${name}")` : `${version}`;
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
