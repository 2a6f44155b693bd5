// Stage: trace -> replay. Unsigned LEB128 of 64-bit values as two 32-bit halves: numbers where they fit, no allocation
// on the way.

import { TraceError } from './trace-error.js';

const TWO_32 = 0x1_0000_0000;

/** Reads varints from a column; the value of the last one is in `lo` and `hi`. */
export class VarintReader {
  position = 0;
  lo = 0;
  hi = 0;

  constructor(
    readonly bytes: Uint8Array,
    /** For messages: which column. */
    readonly name: string,
  ) {}

  get atEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  byte(): number {
    if (this.position >= this.bytes.length) throw this.error('a byte', 'the end of the column');
    return this.bytes[this.position++];
  }

  read(): void {
    const first = this.byte();
    if (first < 0x80) {
      this.lo = first;
      this.hi = 0;
      return;
    }
    let lo = first & 0x7f;
    let hi = 0;
    for (let shift = 7; ; shift += 7) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (shift < 28) lo |= bits << shift;
      else if (shift === 28) {
        lo |= bits << 28;
        hi = bits >>> 4;
      } else if (shift < 63) hi |= bits << (shift - 32);
      else {
        if (byte > 1) throw this.error('a varint of at most 64 bits', `a tenth byte ${byte}`);
        hi |= bits << 31;
      }
      if (byte < 0x80) break;
    }
    this.lo = lo >>> 0;
    this.hi = hi >>> 0;
  }

  /** A varint that must fit 2^53. */
  readNumber(): number {
    this.read();
    if (this.hi >= 0x200000) throw this.error('a number below 2^53', `${this.bigint()}`);
    return this.hi * TWO_32 + this.lo;
  }

  readBigint(): bigint {
    this.read();
    return this.bigint();
  }

  /** Zigzag: leaves the two's complement of the value in `lo` and `hi`. */
  readZigzag(): void {
    this.read();
    const sign = -(this.lo & 1) >>> 0;
    const lo = ((this.lo >>> 1) | (this.hi << 31)) >>> 0;
    this.lo = (lo ^ sign) >>> 0;
    this.hi = ((this.hi >>> 1) ^ sign) >>> 0;
  }

  /** The last value read. */
  bigint(): bigint {
    return this.hi === 0 ? BigInt(this.lo) : (BigInt(this.hi) << 32n) | BigInt(this.lo);
  }

  private error(expected: string, actual: string): TraceError {
    return new TraceError(`${this.name} column`, this.position, expected, actual);
  }
}
