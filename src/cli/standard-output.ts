// Stage: command line. Writes to standard output (or standard error) without a stream in between: fast, in order, and a
// reader that went away ends the command.

import { writeSync } from 'node:fs';

const FLUSH_CHARACTERS = 1 << 16;

/** The reader of standard output is gone: nobody wants the rest. */
export class OutputClosed extends Error {}

export class StandardOutput {
  #pending = '';

  constructor(private readonly descriptor = 1) {}

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= FLUSH_CHARACTERS) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    this.writeBytes(bytes);
  }

  /** Writes the bytes at once. Flush first what `write` holds back. */
  writeBytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at += writeSome(this.descriptor, bytes, at);
  }
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
