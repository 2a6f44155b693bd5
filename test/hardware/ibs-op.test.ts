// Registers of an IBS op record to what a kernel from 6.2 on says of them; each row is read off AMD's description of
// the registers by hand.

import { expect, test } from 'vitest';
import { describeDataSource, splitDataSource } from '../../src/hardware/samples/data-source.js';
import { IbsOp, parseAmdModel } from '../../src/hardware/import/ibs-op.js';
import { writeIbs } from './constructed.js';
import { PerfDataWriter } from './perf-data-writer.js';

const ZEN4 = 'AuthenticAMD,25,17,1';
const ZEN3 = 'AuthenticAMD,25,1,1';
const ZEN2 = 'AuthenticAMD,23,49,0';
const LOAD = 1n;
const STORE = 2n;
const MISS = 0x80n;
const L2_MISS = 0x10_0000n;
const VALID = 0x6_0000n;
const FAR = 0x10n;
const CLEAN = 0x20n;

function decode(cpuId: string, data3: bigint, data2 = 0n): string {
  const op = new IbsOp(parseAmdModel(cpuId));
  const raw = writeIbs(new PerfDataWriter(), {
    capabilities: cpuId === ZEN4 ? 0xfff : 0x3ff,
    data: 0x0123_0000n,
    data2,
    data3: data3 | VALID,
    ip: 0n,
    address: 1n,
    physicalAddress: 2n,
  });
  expect(op.read(raw)).toBe(true);
  const halves = new Uint32Array(2);
  op.store('dataSource', halves, 0);
  const source = splitDataSource((BigInt(halves[1]) << 32n) | BigInt(halves[0]));
  return `${source.servedBy}: ${describeDataSource(source)}; ${op.missLatency} ${op.retireLatency} ${op.sizeBytes}`;
}

test.each<[string, string, bigint, bigint, string]>([
  [
    'a load that hits, 8 bytes',
    ZEN4,
    LOAD | (4n << 22n),
    0n,
    'L1: op=load level=hit+L1 number=L1 snoop=n/a tlb=hit+L1 lock=n/a; 0 0 8',
  ],
  [
    'a store with lock that hits',
    ZEN4,
    STORE | 0x8000n,
    0n,
    'L1: op=store level=hit+L1 number=L1 snoop=n/a tlb=hit+L1 lock=locked; 0 0 0',
  ],
  [
    'a load served by the L2, after 17 cycles',
    ZEN4,
    LOAD | MISS | (17n << 32n),
    0n,
    'L2: op=load level=hit+L2 number=L2 snoop=n/a tlb=hit+L1 lock=n/a; 17 291 0',
  ],
  [
    'by the L3, clean',
    ZEN4,
    LOAD | MISS | L2_MISS,
    1n | CLEAN,
    'L3: op=load level=hit+L3 number=L3 snoop=n/a tlb=hit+L1 lock=n/a; 0 291 0',
  ],
  [
    'by the L3, modified',
    ZEN4,
    LOAD | MISS | L2_MISS,
    1n,
    'other-cache: op=load level=hit+L3 number=L3 snoop=hitm tlb=hit+L1 lock=n/a; 0 291 0',
  ],
  [
    'by another complex of the node',
    ZEN4,
    LOAD | MISS | L2_MISS,
    2n | CLEAN,
    'other-cache: op=load level=hit+remote-cache-1 number=any-cache snoop=n/a tlb=hit+L1 lock=n/a remote=yes ' +
      'hops=0; 0 291 0',
  ],
  [
    'by a complex of another node',
    ZEN4,
    LOAD | MISS | L2_MISS,
    5n | CLEAN,
    'remote-cache: op=load level=hit+remote-cache-2 number=any-cache snoop=n/a tlb=hit+L1 lock=n/a remote=yes ' +
      'hops=1; 0 291 0',
  ],
  [
    'by memory',
    ZEN4,
    LOAD | MISS | L2_MISS | 4n,
    3n | CLEAN,
    'memory: op=load level=hit+local-memory number=memory snoop=n/a tlb=hit+L2 lock=n/a; 0 291 0',
  ],
  [
    'by memory of another node',
    ZEN4,
    LOAD | MISS | L2_MISS | 12n,
    3n | FAR | CLEAN,
    'remote-memory: op=load level=hit+remote-memory-1 number=memory snoop=n/a tlb=miss+L2 lock=n/a remote=yes ' +
      'hops=1; 0 291 0',
  ],
  [
    'by extension memory',
    ZEN4,
    LOAD | MISS | L2_MISS,
    (1n << 6n) | 0n | CLEAN,
    'memory: op=load number=CXL snoop=n/a tlb=hit+L1 lock=n/a; 0 291 0',
  ],
  [
    'uncached',
    ZEN4,
    LOAD | 0x4000n,
    0n,
    'uncached: op=load level=hit+uncached number=uncached snoop=n/a tlb=hit+L1 lock=n/a; 0 0 0',
  ],
  [
    'a store past the L2 says no source',
    ZEN4,
    STORE | MISS | L2_MISS,
    3n | CLEAN,
    'unknown: op=store level=n/a number=n/a snoop=n/a tlb=hit+L1 lock=n/a; 0 0 0',
  ],
  [
    'a store that met a miss under way',
    ZEN4,
    STORE | MISS | L2_MISS | 0x1_0000n,
    CLEAN,
    'fill-buffer: op=store level=hit+LFB number=LFB snoop=n/a tlb=hit+L1 lock=n/a; 0 0 0',
  ],
  [
    'before Zen 4: an L3 or a cache of the node',
    ZEN2,
    LOAD | MISS | L2_MISS,
    2n | CLEAN,
    'L3: op=load level=hit+L3+remote-cache-1 number=any-cache snoop=n/a tlb=hit+L1 lock=n/a hops=0; 0 291 0',
  ],
  [
    'before Zen 4: modified',
    ZEN2,
    LOAD | MISS | L2_MISS,
    2n,
    'other-cache: op=load level=hit+L3+remote-cache-1 number=any-cache snoop=hitm tlb=hit+L1 lock=n/a hops=0; 0 291 0',
  ],
  [
    'before Zen 4: another node',
    ZEN2,
    LOAD | MISS | L2_MISS,
    4n | CLEAN,
    'remote-cache: op=load level=hit+remote-cache-2 number=any-cache snoop=n/a tlb=hit+L1 lock=n/a remote=yes ' +
      'hops=1; 0 291 0',
  ],
  [
    'Zen 3 does not say what was modified',
    ZEN3,
    LOAD | MISS | L2_MISS,
    2n,
    'L3: op=load level=hit+L3+remote-cache-1 number=any-cache snoop=n/a tlb=hit+L1 lock=n/a hops=0; 0 291 0',
  ],
  [
    'Zen 3: of a prefetch neither L2 nor source count',
    ZEN3,
    LOAD | MISS | 0x20_0000n,
    3n,
    'unknown: op=load level=n/a number=n/a snoop=n/a tlb=hit+L1 lock=n/a; 0 291 0',
  ],
  ['no load and no store', ZEN4, 0n, 0n, 'unknown: op=n/a level=n/a snoop=n/a tlb=n/a lock=n/a; 0 0 0'],
])('%s', (_, cpuId, data3, data2, expected) => {
  expect(decode(cpuId, data3, data2)).toBe(expected);
});

test('a record that is too short, or not valid, is none', () => {
  const op = new IbsOp(parseAmdModel(ZEN4));
  const raw = writeIbs(new PerfDataWriter(), {
    capabilities: 0xfff,
    data: 0n,
    data2: 0n,
    data3: 1n,
    ip: 0n,
    address: 0n,
    physicalAddress: 0n,
  });
  expect(op.read(raw.subarray(0, 59))).toBe(false);
  raw.fill(0, 4, 12);
  expect(op.read(raw)).toBe(false);
});
