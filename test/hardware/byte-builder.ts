// Stage: test. Bytes of either byte order, one value behind the other.

export class ByteBuilder {
  private readonly parts: Buffer[] = [];
  length = 0;

  constructor(readonly isLittle: boolean) {}

  u8(value: number): this {
    return this.bytes(Buffer.of(value));
  }

  u16(value: number): this {
    const buffer = Buffer.alloc(2);
    if (this.isLittle) buffer.writeUInt16LE(value);
    else buffer.writeUInt16BE(value);
    return this.bytes(buffer);
  }

  u32(value: number): this {
    const buffer = Buffer.alloc(4);
    if (this.isLittle) buffer.writeUInt32LE(value >>> 0);
    else buffer.writeUInt32BE(value >>> 0);
    return this.bytes(buffer);
  }

  u64(value: bigint | number): this {
    const buffer = Buffer.alloc(8);
    const bits = BigInt.asUintN(64, BigInt(value));
    if (this.isLittle) buffer.writeBigUInt64LE(bits);
    else buffer.writeBigUInt64BE(bits);
    return this.bytes(buffer);
  }

  /** With its zero, filled up to a multiple of `multiple`. */
  text(text: string, multiple = 8): this {
    const bytes = Buffer.from(`${text}\0`);
    return this.bytes(bytes).bytes(Buffer.alloc((multiple - (bytes.length % multiple)) % multiple));
  }

  bytes(bytes: Uint8Array): this {
    this.parts.push(Buffer.from(bytes));
    this.length += bytes.length;
    return this;
  }

  take(): Buffer {
    return Buffer.concat(this.parts);
  }
}
