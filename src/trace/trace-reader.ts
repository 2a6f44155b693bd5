// Stage: trace -> replay. A trace file to its header, its JSON chunks, its modules' bytes and a directory of the
// events, which stay in the file. Every checksum is verified here, once. A trace is whole only if its END chunk says
// so; what was cut short counts up to the last whole chunk.

import type { TraceDamage } from '../contract/damage.js';
import type { ThreadChunks } from '../contract/input.js';
import { readChunk } from './chunk-reader.js';
import { ChunkKind, LAYOUT } from './layout.js';
import { readMappings, type Mapping } from './mapping-chunk.js';
import { readCommonModule, readModule, type ModuleChunk } from './module-chunk.js';
import { ModuleHomes } from './module-homes.js';
import { isOfThread, ThreadChunkIndex, type ChunkEntry } from './thread-chunk-index.js';
import { TraceError } from './trace-error.js';
import { TraceFile } from './trace-file.js';
import { NEWER_HINT, readHeader, type TraceHeader } from './trace-header.js';

export type { TraceHeader } from './trace-header.js';
export type { ModuleChunk } from './module-chunk.js';
export type { ChunkEntry } from './thread-chunk-index.js';

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

/** `homes`: of all traces that are opened together. */
export function readTrace(path: string, homes = new ModuleHomes()): TraceContents {
  const file = TraceFile.open(path);
  try {
    const contents = readContents(file, homes);
    homes.add(path, contents.header, contents.modules);
    return contents;
  } finally {
    file.close();
  }
}

function readContents(file: TraceFile, homes: ModuleHomes): TraceContents {
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
    else if (entry.kind === ChunkKind.module)
      modules.push(readModule(`${file.path}: MODULE chunk`, payload, entry.offset, modules.length));
    else if (entry.kind === ChunkKind.commonModule)
      modules.push(
        readCommonModule(`${file.path}: COMMON_MODULE chunk`, payload, entry.offset, modules.length, (home) =>
          homes.unitsOf(file.path, home),
        ),
      );
    else if (entry.kind === ChunkKind.mappings)
      for (const mapping of readMappings(payload, entry.offset)) mappings.push(mapping);
    else if (isOfThread(entry.kind)) threads.add(entry, isSound);
    else if (entry.kind !== LIVE_QUIET)
      throw new TraceError(`${file.path}: chunk kind`, offset + CHUNK.kind, '1 to 7', `${entry.kind}`, NEWER_HINT);
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
