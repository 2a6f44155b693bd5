// Stage: steps -> trace. Writes varints, as varint.ts reads them.

const TWO_32 = 0x1_0000_0000;

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

  /** `value`: below 2^53. */
  number(value: number): void {
    this.halves(value % TWO_32, Math.floor(value / TWO_32));
  }

  varint(value: bigint): void {
    const bits = BigInt.asUintN(64, value);
    this.halves(Number(bits & 0xffff_ffffn), Number(bits >> 32n));
  }

  /** `value` modulo 2^64, taken as signed. */
  zigzag(value: bigint): void {
    const bits = BigInt.asUintN(64, value);
    this.zigzagHalves(Number(bits & 0xffff_ffffn), Number(bits >> 32n));
  }

  /** The 64-bit value hi × 2^32 + lo; each is an unsigned 32-bit half. */
  halves(lo: number, hi: number): void {
    let [low, high] = [lo >>> 0, hi >>> 0];
    while (high !== 0) {
      this.byte((low & 0x7f) | 0x80);
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    while (low >= 0x80) {
      this.byte((low & 0x7f) | 0x80);
      low >>>= 7;
    }
    this.byte(low);
  }

  /** The same value, taken as signed. */
  zigzagHalves(lo: number, hi: number): void {
    const sign = hi >>> 31 === 0 ? 0 : 0xffff_ffff;
    this.halves((lo << 1) ^ sign, ((hi << 1) | (lo >>> 31)) ^ sign);
  }

  clear(): void {
    this.length = 0;
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
