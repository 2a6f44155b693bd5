// Stage: test. Writes varints, as src/trace/varint.ts reads them.

/** A growing column. */
export class VarintWriter {
  private buffer = new Uint8Array(64);
  length = 0;

  byte(value: number): void {
    if (this.length === this.buffer.length) {
      const grown = new Uint8Array(this.buffer.length * 2);
      grown.set(this.buffer);
      this.buffer = grown;
    }
    this.buffer[this.length++] = value;
  }

  varint(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  /** `value` modulo 2^64, taken as signed. */
  zigzag(value: bigint): void {
    const signed = BigInt.asIntN(64, value);
    this.varint(signed < 0n ? -2n * signed - 1n : 2n * signed);
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
