// Stage: hardware. perf_mem_data_src, the kernel's 64 bits of what memory did for an access, to its parts and their
// names (linux/perf_event.h has the bits). This is the only place that takes the bits apart: the sampler, the importer
// and files hold the 64 bits.

import type { DataSourceParts } from './data-source-bits.js';
import { findServer, type ServedBy } from './served-by.js';

export interface DataSource extends DataSourceParts {
  readonly servedBy: ServedBy;
}

/** Lowest bit and number of bits of each part. TLB crosses the middle; a snoop's two highest bits stand apart. */
const PLACES = {
  operation: [0, 5],
  level: [5, 14],
  snoop: [19, 5],
  lock: [24, 2],
  tlb: [26, 7],
  levelNumber: [33, 4],
  remote: [37, 1],
  snoopMore: [38, 2],
  blocked: [40, 3],
  hops: [43, 3],
} as const;
const LOW_SNOOP_BITS = PLACES.snoop[1];

/** There are few kinds of access, and a run has each often. */
const known = new Map<bigint, DataSource>();
const MOST_KNOWN = 4096; // damaged files have any bits

export function splitDataSource(dataSource: bigint): DataSource {
  let source = known.get(dataSource);
  if (source === undefined) {
    if (known.size === MOST_KNOWN) known.clear();
    known.set(dataSource, (source = split(dataSource)));
  }
  return source;
}

function split(dataSource: bigint): DataSource {
  const part = (name: keyof typeof PLACES): number => {
    const [lowest, bits] = PLACES[name];
    return Number(BigInt.asUintN(bits, dataSource >> BigInt(lowest)));
  };
  const parts: DataSourceParts = {
    operation: part('operation'),
    level: part('level'),
    levelNumber: part('levelNumber'),
    snoop: part('snoop') | (part('snoopMore') << LOW_SNOOP_BITS),
    tlb: part('tlb'),
    lock: part('lock'),
    remote: part('remote'),
    blocked: part('blocked'),
    hops: part('hops'),
  };
  return { ...parts, servedBy: findServer(parts) };
}

type Names = Readonly<Record<number, string>>;

const OPERATIONS: Names = { 1: 'n/a', 2: 'load', 4: 'store', 8: 'prefetch', 16: 'execute' };
const LEVELS: Names = {
  1: 'n/a',
  2: 'hit',
  4: 'miss',
  8: 'L1',
  0x10: 'LFB',
  0x20: 'L2',
  0x40: 'L3',
  0x80: 'local-memory',
  0x100: 'remote-memory-1',
  0x200: 'remote-memory-2',
  0x400: 'remote-cache-1',
  0x800: 'remote-cache-2',
  0x1000: 'io',
  0x2000: 'uncached',
};
const LEVEL_NUMBERS: Names = {
  1: 'L1',
  2: 'L2',
  3: 'L3',
  4: 'L4',
  5: 'L2-miss-buffer',
  6: 'memory-side-cache',
  7: 'L0',
  8: 'uncached',
  9: 'CXL',
  10: 'io',
  11: 'any-cache',
  12: 'LFB',
  13: 'memory',
  14: 'persistent-memory',
  15: 'n/a',
};
const SNOOPS: Names = { 1: 'n/a', 2: 'none', 4: 'hit', 8: 'miss', 16: 'hitm', 32: 'forward', 64: 'peer' };
const LOCKS: Names = { 1: 'n/a', 2: 'locked' };
const TLBS: Names = { 1: 'n/a', 2: 'hit', 4: 'miss', 8: 'L1', 16: 'L2', 32: 'walker', 64: 'os' };
const BLOCKS: Names = { 1: 'n/a', 2: 'data', 4: 'address' };

/** Each part that says something, as `name=value`; several values of one are joined by `+`. */
export function describeDataSource(parts: DataSourceParts): string {
  const words = [
    ['op', nameBits(parts.operation, OPERATIONS)],
    ['level', nameBits(parts.level, LEVELS)],
    ['number', LEVEL_NUMBERS[parts.levelNumber] ?? ''],
    ['snoop', nameBits(parts.snoop, SNOOPS)],
    ['tlb', nameBits(parts.tlb, TLBS)],
    ['lock', nameBits(parts.lock, LOCKS)],
    ['blocked', nameBits(parts.blocked, BLOCKS)],
    ['remote', parts.remote ? 'yes' : ''],
    ['hops', parts.hops === 0 ? '' : String(parts.hops - 1)],
  ];
  return words
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function nameBits(bits: number, names: Names): string {
  return Object.entries(names)
    .filter(([bit]) => (bits & Number(bit)) !== 0)
    .map(([, name]) => name)
    .join('+');
}
