// Stage: command line. Writes to standard output (or standard error) without a stream in between: fast, in order, and a
// reader that went away ends the command.

import { isatty } from 'node:tty';
import { writeAll } from '../base/write-descriptor.js';

const FLUSH_CHARACTERS = 1 << 16;

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
    writeAll(this.descriptor, bytes);
  }
}

/** Of tables on standard output. */
export function terminalWidth(): number {
  return (isatty(1) && process.stdout.columns) || 80;
}
