// Stage: trace -> text. Accesses to the lines that simulators of one core read: Dinero's and lackey's.
// docs/simulators.md.
//
//   din       0 7ffe01c0 8         label (0 read, 1 write), address; behind them, where din has a comment, the size;
//   both hexadecimal
//   lackey     L 7ffe01c0,8        L load, S store, M modify; the address hexadecimal, of at least 8 digits; the size
//   decimal

import { LineBuffer } from './line-buffer.js';
import type { AccessLines } from './reference-lines.js';

const LABELS = Buffer.from('011');
const LETTERS = Buffer.from('LSM');
const COMMA = 0x2c;

/** din has no sizes: what crosses lines of the cache is one line of text for each. */
export class DinLines extends LineBuffer implements AccessLines {
  core = 0;

  constructor(
    write: (bytes: Uint8Array) => void,
    private readonly lineBytes: number,
  ) {
    super(write);
  }

  access(kind: number, address: number, sizeBytes: number): void {
    const end = address + sizeBytes;
    for (let at = address; at < end; ) {
      const piece = Math.min(end - at, this.lineBytes - (at % this.lineBytes));
      this.begin();
      this.byte(LABELS[kind]);
      this.space();
      this.address(at);
      this.space();
      this.hexadecimal(0, piece);
      this.end();
      at += piece;
    }
  }
}

export class LackeyLines extends LineBuffer implements AccessLines {
  core = 0;

  access(kind: number, address: number, sizeBytes: number): void {
    this.begin();
    this.space();
    this.byte(LETTERS[kind]);
    this.space();
    this.address(address, 8);
    this.byte(COMMA);
    this.decimal(sizeBytes);
    this.end();
  }
}
