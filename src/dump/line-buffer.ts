// Stage: trace -> text. Bytes of lines, numbers among them, in a buffer that is handed on when it is full: there are
// very many.

const BUFFER_BYTES = 1 << 18;
const LONGEST_LINE = 64;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const DIGITS = '0123456789abcdef';
/** Two hexadecimal digits for each byte. */
const PAIRS = Buffer.from(Array.from({ length: 256 }, (_, byte) => DIGITS[byte >> 4] + DIGITS[byte & 15]).join(''));

export class LineBuffer {
  readonly #bytes = Buffer.alloc(BUFFER_BYTES);
  #at = 0;

  constructor(private readonly write: (bytes: Uint8Array) => void) {}

  flush(): void {
    this.write(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  /** Before each line: makes room for it. */
  protected begin(): void {
    if (this.#at + LONGEST_LINE > BUFFER_BYTES) this.flush();
  }

  protected end(): void {
    this.#bytes[this.#at++] = NEWLINE;
  }

  protected space(): void {
    this.#bytes[this.#at++] = SPACE;
  }

  protected byte(byte: number): void {
    this.#bytes[this.#at++] = byte;
  }

  protected text(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#at + bytes.length > BUFFER_BYTES) this.flush();
    if (bytes.length > BUFFER_BYTES) return this.write(bytes);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  protected decimal(number: number): void {
    let digits = 1;
    for (let limit = 10; limit <= number; limit *= 10) digits++;
    let rest = number;
    for (let digit = digits - 1; digit >= 0; digit--) {
      this.#bytes[this.#at + digit] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#at += digits;
  }

  /** Writes at least `leastDigits` digits (at most 8), with zeros in front. */
  protected hexadecimal(high: number, low: number, leastDigits = 1): void {
    if (high > 0) {
      this.#half(high, (35 - Math.clz32(high)) >> 2);
      this.#half(low, 8);
    } else this.#half(low, Math.max(leastDigits, (35 - Math.clz32(low)) >> 2));
  }

  protected address(address: number, leastDigits = 1): void {
    this.hexadecimal(Math.floor(address / 0x1_0000_0000), address >>> 0, leastDigits);
  }

  #half(half: number, digits: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let left = digits;
    if (left & 1) {
      left--;
      bytes[at++] = PAIRS[2 * ((half >>> (4 * left)) & 15) + 1];
    }
    while (left > 0) {
      left -= 2;
      const pair = 2 * ((half >>> (4 * left)) & 255);
      bytes[at++] = PAIRS[pair];
      bytes[at++] = PAIRS[pair + 1];
    }
    this.#at = at;
  }
}
