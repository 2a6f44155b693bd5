// Stage: trace -> replay. One chunk of a trace file, with both its checksums.

import { crc32 } from 'node:zlib';
import { CHUNK_MAGIC, CHUNK_MAX_BYTES, LAYOUT } from './layout.js';
import { isOfThread, type ChunkEntry } from './thread-chunk-index.js';
import { TraceError } from './trace-error.js';
import type { TraceFile } from './trace-file.js';
import { hex } from './trace-header.js';

const CHUNK = LAYOUT.dprof_chunk_header;

export interface ReadChunk {
  readonly entry: ChunkEntry;
  readonly payload: Buffer;
  /** The payload is as its checksum says; only the chunks of threads may be damaged. */
  readonly isSound: boolean;
}

/** What the header of a chunk says; undefined where the file was cut short. */
export function readChunkEntry(file: TraceFile, offset: number): ChunkEntry | undefined {
  return readChunkHeader(file, offset)?.entry;
}

function readChunkHeader(file: TraceFile, offset: number): { entry: ChunkEntry; checksum: number } | undefined {
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
  return { entry, checksum: header.readUInt32LE(CHUNK.payload_checksum) };
}

/**
 * Undefined where the file was cut short: nothing, or nothing but zeros, stands where the rest of the chunk belongs.
 */
export function readChunk(file: TraceFile, offset: number): ReadChunk | undefined {
  const header = readChunkHeader(file, offset);
  if (header === undefined) return undefined;
  const { entry, checksum: found } = header;
  const payload = file.read(entry.offset, entry.bytes);
  if (payload.length < entry.bytes) return undefined;
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
