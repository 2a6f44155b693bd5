import { describe, expect, it } from 'vitest';
import { TraceError } from '../../src/trace/trace-error.js';
import { VarintReader } from '../../src/trace/varint.js';
import { VarintWriter } from '../../src/trace/varint-writer.js';

const VALUES = [
  0n,
  1n,
  127n,
  128n,
  300n,
  0xffff_ffffn,
  0x1_0000_0000n,
  (1n << 53n) - 1n,
  1n << 53n,
  1n << 62n,
  (1n << 63n) - 1n,
  1n << 63n,
  (1n << 64n) - 1n,
];

describe('varints', () => {
  it('300 is ac 02, and 2^64 - 1 takes ten bytes', () => {
    const writer = new VarintWriter();
    writer.varint(300n);
    expect([...writer.bytes()]).toEqual([0xac, 0x02]);
    const widest = new VarintWriter();
    widest.varint((1n << 64n) - 1n);
    expect([...widest.bytes()]).toEqual([...new Array<number>(9).fill(0xff), 0x01]);
  });

  it.each(VALUES)('%s comes back', (value) => {
    const writer = new VarintWriter();
    writer.varint(value);
    const reader = new VarintReader(writer.bytes(), 'test');
    expect(reader.readBigint()).toBe(value);
    expect(reader.atEnd).toBe(true);
  });

  it.each([
    [0n, [0]],
    [-1n, [1]],
    [1n, [2]],
    [-2n, [3]],
    [63n, [126]],
    [-64n, [127]],
    [64n, [0x80, 1]],
  ] as const)('zigzag of %s is %s', (value, bytes) => {
    const writer = new VarintWriter();
    writer.zigzag(value);
    expect([...writer.bytes()]).toEqual(bytes);
  });

  it.each(VALUES)('zigzag of %s and of its negative come back modulo 2^64', (value) => {
    for (const signed of [value, -value]) {
      const writer = new VarintWriter();
      writer.zigzag(signed);
      const reader = new VarintReader(writer.bytes(), 'test');
      reader.readZigzag();
      expect(reader.bigint()).toBe(BigInt.asUintN(64, signed));
    }
  });

  it('a value above 2^64 and a column that ends inside a varint are refused with their place', () => {
    const tooWide = new VarintReader(Uint8Array.from([...new Array<number>(9).fill(0xff), 0x02]), 'words');
    expect(() => tooWide.read()).toThrow(
      new TraceError('words column', 10, 'a varint of at most 64 bits', 'a tenth byte 2'),
    );
    const cut = new VarintReader(Uint8Array.from([0x80]), 'words');
    expect(() => cut.read()).toThrow(new TraceError('words column', 1, 'a byte', 'the end of the column'));
  });
});
