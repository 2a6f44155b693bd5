// Stage: trace -> text. Accesses to lines, in a buffer that is handed on when it is full: there are very many.

import type { AccessSink } from '../sim/references.js';

const BUFFER_BYTES = 1 << 18;
const LONGEST_LINE = 64;
const KINDS = Buffer.from('rwa');
const DIGITS = Buffer.from('0123456789abcdef');
const SPACE = 0x20;
const NEWLINE = 0x0a;

export class ReferenceLines implements AccessSink {
  core = 0;
  readonly #bytes = Buffer.alloc(BUFFER_BYTES);
  #at = 0;

  constructor(private readonly write: (bytes: Uint8Array) => void) {}

  access(kind: number, address: number, sizeBytes: number): void {
    this.line(kind, address, sizeBytes);
    this.#bytes[this.#at++] = NEWLINE;
  }

  flush(): void {
    this.write(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  /** Without its end. */
  protected line(kind: number, address: number, sizeBytes: number): void {
    if (this.#at + LONGEST_LINE > BUFFER_BYTES) this.flush();
    const bytes = this.#bytes;
    this.#decimal(this.core);
    bytes[this.#at++] = SPACE;
    bytes[this.#at++] = KINDS[kind];
    bytes[this.#at++] = SPACE;
    this.#hexadecimal(Math.floor(address / 0x1_0000_0000), address >>> 0);
    bytes[this.#at++] = SPACE;
    this.#decimal(sizeBytes);
  }

  /** ` value`, and the end of a line that `line` began. */
  protected endWithValue(hi: number, lo: number): void {
    this.#bytes[this.#at++] = SPACE;
    this.#hexadecimal(hi, lo);
    this.#bytes[this.#at++] = NEWLINE;
  }

  protected endWithoutValue(): void {
    this.#at += this.#bytes.write(' -\n', this.#at);
  }

  protected text(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#at + bytes.length > BUFFER_BYTES) this.flush();
    if (bytes.length > BUFFER_BYTES) return this.write(bytes);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #decimal(number: number): void {
    let digits = 1;
    for (let limit = 10; limit <= number; limit *= 10) digits++;
    let rest = number;
    for (let digit = digits - 1; digit >= 0; digit--) {
      this.#bytes[this.#at + digit] = DIGITS[rest % 10];
      rest = Math.floor(rest / 10);
    }
    this.#at += digits;
  }

  #hexadecimal(high: number, low: number): void {
    if (high > 0) {
      this.#halfWord(high, (35 - Math.clz32(high)) >> 2);
      this.#halfWord(low, 8);
    } else this.#halfWord(low, low === 0 ? 1 : (35 - Math.clz32(low)) >> 2);
  }

  #halfWord(half: number, digits: number): void {
    for (let digit = digits - 1; digit >= 0; digit--) this.#bytes[this.#at++] = DIGITS[(half >>> (digit * 4)) & 15];
  }
}
