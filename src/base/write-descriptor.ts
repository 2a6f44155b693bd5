// Stage: any. Writes to an open file, pipe or terminal: all of it, whatever else uses it.

import { writeSync } from 'node:fs';

/** Whoever read the output is gone, as `head` is when it has its lines. The command ends without a word. */
export class OutputClosed extends Error {}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSome(descriptor, bytes, at);
}

function writeSome(descriptor: number, bytes: Uint8Array, at: number): number {
  try {
    return writeSync(descriptor, bytes, at);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPIPE') throw new OutputClosed();
    if (code !== 'EAGAIN') throw error;
    // Another process made the shared descriptor non-blocking: wait a moment for the reader.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    return 0;
  }
}
