// perf_mem_data_src to its parts and to who supplied the bytes: values as kernels write them for Intel, AMD, Arm and
// POWER.

import { describe, expect, test } from 'vitest';
import {
  Blocked,
  Level,
  LevelNumber,
  Lock,
  Operation,
  Snoop,
  Tlb,
  type DataSourceParts,
} from '../../src/hardware/samples/data-source-bits.js';
import { describeDataSource, splitDataSource } from '../../src/hardware/samples/data-source.js';
import { joinDataSource } from './join-data-source.js';
import { RandomNumbers } from '../random/random-numbers.js';

const NOTHING: DataSourceParts = {
  operation: Operation.load,
  level: 0,
  levelNumber: 0,
  snoop: 0,
  lock: 0,
  tlb: 0,
  remote: 0,
  blocked: 0,
  hops: 0,
};

function servedBy(parts: Partial<DataSourceParts>): string {
  return splitDataSource(joinDataSource({ ...NOTHING, ...parts })).servedBy;
}

test('the bits of perf_event.h, written down once more', () => {
  expect(
    joinDataSource({
      operation: 0x1f,
      level: 0,
      levelNumber: 0,
      snoop: 0,
      lock: 0,
      tlb: 0,
      remote: 0,
      blocked: 0,
      hops: 0,
    }),
  ).toBe(0x1fn);
  expect(joinDataSource({ ...NOTHING, operation: 0, level: 0x3fff })).toBe(0x3fffn << 5n);
  expect(joinDataSource({ ...NOTHING, operation: 0, snoop: 0x1f })).toBe(0x1fn << 19n);
  expect(joinDataSource({ ...NOTHING, operation: 0, lock: 3 })).toBe(3n << 24n);
  expect(joinDataSource({ ...NOTHING, operation: 0, tlb: 0x7f })).toBe(0x7fn << 26n);
  expect(joinDataSource({ ...NOTHING, operation: 0, levelNumber: 0xf })).toBe(0xfn << 33n);
  expect(joinDataSource({ ...NOTHING, operation: 0, remote: 1 })).toBe(1n << 37n);
  expect(joinDataSource({ ...NOTHING, operation: 0, snoop: 0x60 })).toBe(3n << 38n);
  expect(joinDataSource({ ...NOTHING, operation: 0, blocked: 7 })).toBe(7n << 40n);
  expect(joinDataSource({ ...NOTHING, operation: 0, hops: 7 })).toBe(7n << 43n);
});

test('parts come back as they were', () => {
  const random = new RandomNumbers(1);
  for (let round = 0; round < 2000; round++) {
    const parts = {
      operation: random.below(32),
      level: random.below(1 << 14),
      levelNumber: random.below(16),
      snoop: random.below(128),
      lock: random.below(4),
      tlb: random.below(128),
      remote: random.below(2),
      blocked: random.below(8),
      hops: random.below(8),
    };
    expect(splitDataSource(joinDataSource(parts))).toMatchObject(parts);
  }
});

test('nothing known', () => {
  const source = splitDataSource(
    joinDataSource({
      ...NOTHING,
      operation: Operation.notAvailable,
      level: Level.notAvailable,
      snoop: Snoop.notAvailable,
      lock: Lock.notAvailable,
      tlb: Tlb.notAvailable,
    }),
  );
  expect(describeDataSource(source)).toBe('op=n/a level=n/a snoop=n/a tlb=n/a lock=n/a');
  expect(source.servedBy).toBe('unknown');
});

test('as text', () => {
  const source = splitDataSource(
    joinDataSource({
      operation: Operation.store,
      level: Level.l3 | Level.hit,
      levelNumber: LevelNumber.l3,
      snoop: Snoop.hitModified,
      lock: Lock.locked,
      tlb: Tlb.l2 | Tlb.miss,
      remote: 1,
      blocked: Blocked.data,
      hops: 2,
    }),
  );
  expect(describeDataSource(source)).toBe(
    'op=store level=hit+L3 number=L3 snoop=hitm tlb=miss+L2 lock=locked blocked=data remote=yes hops=1',
  );
});

test('every bit, from the lowest up, and every number of a level has its name', () => {
  const all = { operation: 0x1f, level: 0x3fff, snoop: 0x7f, tlb: 0x7f, lock: 3, blocked: 7 };
  expect(describeDataSource({ ...NOTHING, ...all })).toBe(
    'op=n/a+load+store+prefetch+execute ' +
      'level=n/a+hit+miss+L1+LFB+L2+L3+local-memory+remote-memory-1+remote-memory-2+remote-cache-1+remote-cache-2+' +
      'io+uncached snoop=n/a+none+hit+miss+hitm+forward+peer tlb=n/a+hit+miss+L1+L2+walker+os lock=n/a+locked ' +
      'blocked=n/a+data+address',
  );
  const numbers = Array.from({ length: 16 }, (_, levelNumber) =>
    describeDataSource({ ...NOTHING, operation: 0, levelNumber }).replace('number=', ''),
  );
  expect(numbers.join(' ')).toBe(
    ' L1 L2 L3 L4 L2-miss-buffer memory-side-cache L0 uncached CXL io any-cache LFB memory persistent-memory n/a',
  );
});

const hit = (level: number): number => level | Level.hit;

describe('who supplied the bytes', () => {
  test.each<[string, Partial<DataSourceParts>, string]>([
    ['Intel: an L1 hit', { level: hit(Level.l1), levelNumber: LevelNumber.l1, snoop: Snoop.none }, 'L1'],
    ['Intel: a fill buffer', { level: hit(Level.lfb), levelNumber: LevelNumber.lfb, snoop: Snoop.none }, 'fill-buffer'],
    [
      'Intel: L3, another core asked, clean',
      { level: hit(Level.l3), levelNumber: LevelNumber.l3, snoop: Snoop.hit },
      'L3',
    ],
    [
      'Intel: L3, another core had it modified',
      { level: hit(Level.l3), levelNumber: LevelNumber.l3, snoop: Snoop.hitModified },
      'other-cache',
    ],
    [
      'Intel: forwarded by a core that had it clean',
      { level: hit(Level.l3), levelNumber: LevelNumber.l3, snoop: Snoop.none | Snoop.forward },
      'other-cache',
    ],
    ['Intel: an unknown miss of the L3', { level: Level.l3 | Level.miss, levelNumber: LevelNumber.l3 }, 'past-L3'],
    [
      'Intel: a cache on another socket',
      { level: hit(Level.remoteCache1), levelNumber: LevelNumber.l3, remote: 1, snoop: Snoop.hitModified },
      'remote-cache',
    ],
    ['Intel: memory', { level: hit(Level.localMemory), levelNumber: LevelNumber.memory, snoop: Snoop.miss }, 'memory'],
    [
      'Intel: memory on another socket',
      { level: hit(Level.remoteMemory1), levelNumber: LevelNumber.memory, remote: 1 },
      'remote-memory',
    ],
    ['Intel: a store that missed the L1', { operation: Operation.store, level: Level.l1 | Level.miss }, 'past-L1'],
    ['Intel before Skylake: only the mask', { level: hit(Level.l2) }, 'L2'],
    [
      'AMD before Zen 4: an L3 or a cache of the node',
      { level: hit(Level.l3 | Level.remoteCache1), levelNumber: LevelNumber.anyCache, hops: 1 },
      'L3',
    ],
    [
      'AMD before Zen 4: the same, modified',
      {
        level: hit(Level.l3 | Level.remoteCache1),
        levelNumber: LevelNumber.anyCache,
        hops: 1,
        snoop: Snoop.hitModified,
      },
      'other-cache',
    ],
    [
      'AMD: a cache of the same node',
      { level: hit(Level.remoteCache1), levelNumber: LevelNumber.anyCache, remote: 1, hops: 1 },
      'other-cache',
    ],
    [
      'AMD: a cache of another node',
      { level: hit(Level.remoteCache2), levelNumber: LevelNumber.anyCache, remote: 1, hops: 2 },
      'remote-cache',
    ],
    ['AMD: memory that is far', { level: 0, levelNumber: LevelNumber.cxl, remote: 1, hops: 2 }, 'remote-memory'],
    ['AMD: uncached', { level: hit(Level.uncached), levelNumber: LevelNumber.uncached }, 'uncached'],
    ['AMD: I/O', { level: hit(Level.io), levelNumber: LevelNumber.io }, 'io'],
    ['Arm: the L2 of a peer', { level: hit(Level.l2), levelNumber: LevelNumber.l2, snoop: Snoop.peer }, 'other-cache'],
    [
      'Arm: another socket',
      { level: Level.remoteCache1, levelNumber: LevelNumber.anyCache, snoop: Snoop.peer, remote: 1 },
      'remote-cache',
    ],
    [
      'Arm: another socket, as perf 6.1 says it',
      { level: Level.notAvailable, levelNumber: LevelNumber.notAvailable, snoop: Snoop.peer, remote: 1 },
      'remote-cache',
    ],
    ['Arm: a miss of the last level', { level: Level.l3 | Level.miss }, 'past-L3'],
    [
      'POWER: the L2 of a core on the same chip',
      { level: hit(Level.l2), levelNumber: LevelNumber.l2, remote: 1, hops: 1, snoop: Snoop.hit },
      'other-cache',
    ],
    [
      'no operation',
      { operation: Operation.notAvailable, level: hit(Level.l1), levelNumber: LevelNumber.l1 },
      'unknown',
    ],
    ['no level', { level: Level.notAvailable, levelNumber: LevelNumber.notAvailable }, 'unknown'],
  ])('%s', (_, parts, expected) => {
    expect(servedBy(parts)).toBe(expected);
  });
});
