// Stage: hardware. perf_mem_data_src, the kernel's 64 bits of what memory did for an access, to its parts and their
// names (linux/perf_event.h has the bits). This is the only place that takes the bits apart: the sampler, the importer
// and files hold the 64 bits.

import { Blocked, Level, LevelNumber, Lock, Operation, Snoop, Tlb, type DataSourceParts } from './data-source-bits.js';
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

const OPERATIONS: Names = {
  [Operation.notAvailable]: 'n/a',
  [Operation.load]: 'load',
  [Operation.store]: 'store',
  [Operation.prefetch]: 'prefetch',
  [Operation.execute]: 'execute',
};
const LEVELS: Names = {
  [Level.notAvailable]: 'n/a',
  [Level.hit]: 'hit',
  [Level.miss]: 'miss',
  [Level.l1]: 'L1',
  [Level.lfb]: 'LFB',
  [Level.l2]: 'L2',
  [Level.l3]: 'L3',
  [Level.localMemory]: 'local-memory',
  [Level.remoteMemory1]: 'remote-memory-1',
  [Level.remoteMemory2]: 'remote-memory-2',
  [Level.remoteCache1]: 'remote-cache-1',
  [Level.remoteCache2]: 'remote-cache-2',
  [Level.io]: 'io',
  [Level.uncached]: 'uncached',
};
const LEVEL_NUMBERS: Names = {
  [LevelNumber.l1]: 'L1',
  [LevelNumber.l2]: 'L2',
  [LevelNumber.l3]: 'L3',
  [LevelNumber.l4]: 'L4',
  [LevelNumber.l2MissBuffer]: 'L2-miss-buffer',
  [LevelNumber.memorySideCache]: 'memory-side-cache',
  [LevelNumber.l0]: 'L0',
  [LevelNumber.uncached]: 'uncached',
  [LevelNumber.cxl]: 'CXL',
  [LevelNumber.io]: 'io',
  [LevelNumber.anyCache]: 'any-cache',
  [LevelNumber.lfb]: 'LFB',
  [LevelNumber.memory]: 'memory',
  [LevelNumber.persistentMemory]: 'persistent-memory',
  [LevelNumber.notAvailable]: 'n/a',
};
const SNOOPS: Names = {
  [Snoop.notAvailable]: 'n/a',
  [Snoop.none]: 'none',
  [Snoop.hit]: 'hit',
  [Snoop.miss]: 'miss',
  [Snoop.hitModified]: 'hitm',
  [Snoop.forward]: 'forward',
  [Snoop.peer]: 'peer',
};
const LOCKS: Names = { [Lock.notAvailable]: 'n/a', [Lock.locked]: 'locked' };
const TLBS: Names = {
  [Tlb.notAvailable]: 'n/a',
  [Tlb.hit]: 'hit',
  [Tlb.miss]: 'miss',
  [Tlb.l1]: 'L1',
  [Tlb.l2]: 'L2',
  [Tlb.walker]: 'walker',
  [Tlb.os]: 'os',
};
const BLOCKS: Names = { [Blocked.notAvailable]: 'n/a', [Blocked.data]: 'data', [Blocked.address]: 'address' };

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
