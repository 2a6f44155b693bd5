// Stage: hardware. perf_mem_data_src, the kernel's 64 bits of what memory did for an access, to its parts and their
// names (linux/perf_event.h has the bits). The low half is passed as `low`, the high one as `high`: 64-bit numbers are
// dear, and there is one for each sample.

import { Lock, Level, Operation, Snoop, Tlb } from './data-source-bits.js';
import type { SampleColumns } from './samples.js';
import { summarise } from './served-by.js';

/** `low` and `high` of what says that nothing is known. */
export const NOTHING_KNOWN = {
  low: joinLow({
    operation: Operation.notAvailable,
    level: Level.notAvailable,
    snoop: Snoop.notAvailable,
    lock: Lock.notAvailable,
    tlb: Tlb.notAvailable,
  }),
  high: joinHigh({ tlb: Tlb.notAvailable, levelNumber: 0, remote: 0, snoop: Snoop.notAvailable, blocked: 0, hops: 0 }),
};

interface LowParts {
  readonly operation: number;
  readonly level: number;
  readonly snoop: number;
  readonly lock: number;
  readonly tlb: number;
}

interface HighParts {
  readonly tlb: number;
  readonly levelNumber: number;
  readonly remote: number;
  readonly snoop: number;
  readonly blocked: number;
  readonly hops: number;
}

export type DataSourceParts = LowParts & HighParts;

/** Bits: operation 0-4, level 5-18, snoop 19-23, lock 24-25, TLB 26-32. */
export function joinLow({ operation, level, snoop, lock, tlb }: LowParts): number {
  return (operation | (level << 5) | ((snoop & 31) << 19) | (lock << 24) | (tlb << 26)) >>> 0;
}

/** Bits behind 32: the last of TLB 0, level number 1-4, remote 5, snoopx 6-7, blocked 8-10, hops 11-13. */
export function joinHigh({ tlb, levelNumber, remote, snoop, blocked, hops }: HighParts): number {
  return ((tlb >> 6) | (levelNumber << 1) | (remote << 5) | ((snoop >> 5) << 6) | (blocked << 8) | (hops << 11)) >>> 0;
}

export function joinDataSource(parts: DataSourceParts): bigint {
  return (BigInt(joinHigh(parts)) << 32n) | BigInt(joinLow(parts));
}

/** The parts to their columns, and what they come to. */
export function storeDataSource(columns: SampleColumns, row: number, low: number, high: number): void {
  const operation = (columns.operation[row] = low & 31);
  const level = (columns.level[row] = (low >>> 5) & 0x3fff);
  const snoop = (columns.snoop[row] = ((low >>> 19) & 31) | (((high >>> 6) & 3) << 5));
  columns.lock[row] = (low >>> 24) & 3;
  columns.tlb[row] = ((low >>> 26) & 63) | ((high & 1) << 6);
  const levelNumber = (columns.levelNumber[row] = (high >>> 1) & 15);
  const remote = (columns.remote[row] = (high >>> 5) & 1);
  columns.blocked[row] = (high >>> 8) & 7;
  const hops = (columns.hops[row] = (high >>> 11) & 7);
  columns.servedBy[row] = summarise(operation, level, levelNumber, snoop, remote, hops);
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
export function describeDataSource(columns: SampleColumns, row: number): string {
  const parts = [
    ['op', nameBits(columns.operation[row], OPERATIONS)],
    ['level', nameBits(columns.level[row], LEVELS)],
    ['number', LEVEL_NUMBERS[columns.levelNumber[row]] ?? ''],
    ['snoop', nameBits(columns.snoop[row], SNOOPS)],
    ['tlb', nameBits(columns.tlb[row], TLBS)],
    ['lock', nameBits(columns.lock[row], LOCKS)],
    ['blocked', nameBits(columns.blocked[row], BLOCKS)],
    ['remote', columns.remote[row] ? 'yes' : ''],
    ['hops', columns.hops[row] === 0 ? '' : String(columns.hops[row] - 1)],
  ];
  return parts
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
