// Stage: file -> profile. Bytes that are read where they lie, a file's or a buffer's.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { readAt } from '../base/read-at.js';

export interface ByteSource {
  readonly length: number;
  /** At the end of the file it returns fewer bytes than asked for. */
  read(offset: number, bytes: number): Buffer;
  close(): void;
}

export function bytesOfBuffer(buffer: Buffer): ByteSource {
  return { length: buffer.length, read: (offset, bytes) => buffer.subarray(offset, offset + bytes), close: () => {} };
}

/** It stays open until it is closed. */
export function bytesOfFile(path: string): ByteSource {
  let file: number;
  try {
    file = openSync(path, 'r');
    const status = fstatSync(file);
    if (status.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return {
      length: status.size,
      read: (offset, bytes) => readBytes(file, path, offset, Math.min(bytes, Math.max(0, status.size - offset))),
      close: () => closeSync(file),
    };
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function readBytes(file: number, path: string, offset: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  try {
    return buffer.subarray(0, readAt(file, buffer, offset));
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function cannotRead(path: string, error: unknown): DprofError {
  return new DprofError(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`, 'check the path');
}
