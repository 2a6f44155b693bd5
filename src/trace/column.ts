// Stage: trace -> replay. One column of a chunk: u32 stored bytes, then u32 raw bytes and an LZ4 block.

import { compressSync, uncompressSync } from 'lz4-napi';
import { CHUNK_MAX_BYTES } from './layout.js';
import { TraceError } from './trace-error.js';

const EMPTY = new Uint8Array(0);

/** The bytes of the column at `position` of a chunk's payload; `next` is the position behind it. */
export function locateColumn(payload: Buffer, position: number, offset: number): { stored: Buffer; next: number } {
  const left = payload.length - position;
  if (left < 8) throw new TraceError('column', offset + position, 'at least 8 bytes', `${left}`);
  const bytes = payload.readUInt32LE(position);
  if (bytes < 4 || bytes > left - 4)
    throw new TraceError('column length', offset + position, `4 to ${left - 4} bytes`, `${bytes}`);
  return { stored: payload.subarray(position + 4, position + 4 + bytes), next: position + 4 + bytes };
}

/** `offset`: of the stored bytes in the file. */
export function unpackColumn(stored: Buffer, offset: number): Uint8Array {
  const rawBytes = stored.readUInt32LE(0);
  if (rawBytes > CHUNK_MAX_BYTES)
    throw new TraceError('column', offset, `at most ${CHUNK_MAX_BYTES} unpacked bytes`, `${rawBytes}`);
  if (rawBytes === 0) {
    if (stored.length !== 4) throw new TraceError('empty column', offset, '4 stored bytes', `${stored.length}`);
    return EMPTY;
  }
  let raw: Uint8Array;
  try {
    raw = uncompressSync(stored);
  } catch (error) {
    throw new TraceError('column', offset, 'an LZ4 block', error instanceof Error ? error.message : String(error));
  }
  if (raw.length !== rawBytes) throw new TraceError('column', offset, `${rawBytes} unpacked bytes`, `${raw.length}`);
  return raw;
}

export function packColumn(raw: Uint8Array): Buffer {
  const packed = raw.length === 0 ? Buffer.alloc(4) : compressSync(Buffer.from(raw.buffer, raw.byteOffset, raw.length));
  const column = Buffer.alloc(4 + packed.length);
  column.writeUInt32LE(packed.length, 0);
  packed.copy(column, 4);
  return column;
}
