// Stage: hardware. Bytes with their place in a file and their byte order; every read is inside its record or a typed
// error.

import { SamplesError } from '../samples/samples-error.js';

export class ByteView {
  private readonly view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    /** Offset of the first byte, for errors. */
    readonly offset: number,
    readonly isLittle: boolean,
    /** The name of these bytes, for errors. */
    readonly what: string,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get length(): number {
    return this.bytes.length;
  }

  u8(at: number): number {
    this.need(at, 1);
    return this.bytes[at];
  }

  u16(at: number): number {
    this.need(at, 2);
    return this.view.getUint16(at, this.isLittle);
  }

  u32(at: number): number {
    this.need(at, 4);
    return this.view.getUint32(at, this.isLittle);
  }

  u64(at: number): bigint {
    this.need(at, 8);
    return this.view.getBigUint64(at, this.isLittle);
  }

  /** Reads a length, a count or an offset: values beyond 2^53 and Infinity are refused. */
  number(at: number): number {
    this.need(at, 8);
    return this.low(at) + this.high(at) * 0x1_0000_0000;
  }

  low(at: number): number {
    return this.view.getUint32(this.isLittle ? at : at + 4, this.isLittle);
  }

  high(at: number): number {
    return this.view.getUint32(this.isLittle ? at + 4 : at, this.isLittle);
  }

  /** Up to its zero, or the end. */
  text(at: number, most = this.length - at): string {
    this.need(at, 0);
    const end = Math.min(this.length, at + most);
    const zero = this.bytes.indexOf(0, at);
    return Buffer.from(
      this.bytes.buffer,
      this.bytes.byteOffset + at,
      (zero < 0 || zero > end ? end : zero) - at,
    ).toString('utf8');
  }

  hexadecimal(at: number, bytes: number): string {
    this.need(at, bytes);
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + at, bytes).toString('hex');
  }

  part(at: number, bytes: number, what = this.what): ByteView {
    this.need(at, bytes);
    return new ByteView(this.bytes.subarray(at, at + bytes), this.offset + at, this.isLittle, what);
  }

  need(at: number, bytes: number): void {
    if (at + bytes > this.bytes.length || bytes < 0)
      throw new SamplesError(this.what, this.offset + at, `${bytes} bytes`, `${Math.max(0, this.bytes.length - at)}`);
  }
}

export function hexadecimal(value: bigint): string {
  return `0x${value.toString(16)}`;
}
