import { describe, expect, test } from 'vitest';
import { machineText } from '../../src/machine/machine-text.js';
import { checkMachine, describeMachineOf, resolveMachine } from '../../src/machine/parse-machine.js';
import { PRESETS } from '../../src/machine/presets.js';
import { LEVELS, setsOf } from '../../src/contract/machine.js';
import { machineFile } from './refusal.js';

/**
 * KiB/ways/cycles of L1, L2, LLC; sets of the LLC; cores per LLC and socket; TLB; memory, other core, remote memory,
 * remote cache.
 */
const numbers: Record<
  string,
  readonly [
    levels: string,
    sets: number,
    cores: readonly (number | undefined)[],
    tlb: string,
    latencies: readonly (number | undefined)[],
  ]
> = {
  default: ['32/8/4 1024/16/14 32768/16/50', 32768, [undefined, undefined], '', [200, 200, undefined, undefined]],
  paper: ['64/2/3 512/16/14 2048/32/50', 1024, [4, undefined], '', [250, 200, undefined, undefined]],
  'skylake-sp': ['32/8/4 1024/16/14 39424/11/57', 57344, [28, 28], '64/4 1536/12 9 30', [205, 124, 374, 280]],
  'ice-lake-sp': ['48/12/5 1280/20/14 61440/12/58', 81920, [40, 40], '64/4 2048/16 7 30', [158, 115, 306, 281]],
  'sapphire-rapids': ['48/12/5 2048/16/14 107520/15/80', 114688, [56, 56], '96/6 2048/16 7 30', [222, 167, 378, 351]],
  zen2: ['32/8/4 512/8/12 16384/16/39', 16384, [4, 64], '64/64 2048/16 7 30', [225, 225, 450, 450]],
  zen3: ['32/8/4 512/8/12 32768/16/46', 32768, [8, 64], '64/64 2048/16 7 30', [245, 245, 490, 490]],
  zen4: ['32/8/4 1024/8/14 32768/16/50', 32768, [8, 64], '72/72 3072/24 7 30', [341, 310, 620, 620]],
  graviton3: [
    '64/4/4 1024/8/10 32768/16/80',
    32768,
    [64, undefined],
    '40/40 2048/8 7 30',
    [300, 120, undefined, undefined],
  ],
};

describe.each(Object.keys(numbers))('%s', (name) => {
  const preset = PRESETS[name].describe();

  test('has the numbers of its source', () => {
    const { tlb, coresPerLlc, coresPerSocket } = preset;
    const levels = LEVELS.map(
      (level) => `${preset[level].sizeBytes / 1024}/${preset[level].ways}/${preset[level].latencyCycles}`,
    ).join(' ');
    const pages =
      tlb === undefined
        ? ''
        : `${tlb.l1.entries}/${tlb.l1.ways} ${tlb.l2!.entries}/${tlb.l2!.ways} ${tlb.l2LatencyCycles} ` +
          `${tlb.walkLatencyCycles}`;
    const { memoryLatencyCycles, cacheToCacheLatencyCycles, remoteMemoryLatencyCycles, remoteCacheLatencyCycles } =
      preset;
    const latencies = [
      memoryLatencyCycles,
      cacheToCacheLatencyCycles,
      remoteMemoryLatencyCycles,
      remoteCacheLatencyCycles,
    ];
    expect([levels, setsOf(preset.llc, preset.lineBytes), [coresPerLlc, coresPerSocket], pages, latencies]).toEqual(
      numbers[name],
    );
  });

  test.each([1, 4, 63, 64, 200])('can be simulated with %i threads', (threads) => {
    const machine = resolveMachine({ machine: name }, threads);
    expect(machine.cores).toBe(name === 'paper' ? 16 : Math.min(threads, 64));
    expect(machine.name).toBe(name);
  });

  test('can be simulated with SMT, and on two sockets', () => {
    expect(checkMachine(resolveMachine({ machine: name, smt: '2', cores: '16' }, 1)).coresPerL1).toBe(2);
    expect(resolveMachine({ machine: name, sockets: '2', cores: '16' }, 1).coresPerSocket).toBe(8);
  });

  test('printed as a machine file and given back, it is the same machine', () => {
    const path = machineFile(machineText(preset));
    expect(describeMachineOf(path)).toEqual(preset);
    expect(resolveMachine({ machine: path }, 9)).toEqual(resolveMachine({ machine: name }, 9));
  });
});

test('every preset is pinned here, but for the host', () => {
  expect(Object.keys(PRESETS)).toEqual([...Object.keys(numbers), 'host']);
});

test('who holds what of whom: victim caches at AMD and Arm, non-inclusive ones at Intel', () => {
  const kinds = (name: string): (string | undefined)[] => [
    PRESETS[name].describe().l2.inclusion,
    PRESETS[name].describe().llc.inclusion,
    PRESETS[name].describe().protocol,
  ];
  expect(['skylake-sp', 'ice-lake-sp', 'sapphire-rapids'].map(kinds)).toEqual(
    Array(3).fill([undefined, undefined, 'mesif']),
  );
  expect(['zen2', 'zen3', 'zen4'].map(kinds)).toEqual(Array(3).fill(['inclusive', 'exclusive', 'moesi']));
  expect(kinds('graviton3')).toEqual(['inclusive', 'exclusive', 'mesi']);
});

test('prefetchers and policies', () => {
  const prefetchers = (name: string): unknown => [
    PRESETS[name].describe().l1.prefetchers,
    PRESETS[name].describe().l2.prefetchers,
  ];
  for (const name of ['skylake-sp', 'ice-lake-sp', 'sapphire-rapids'])
    expect(prefetchers(name)).toEqual([
      ['next-line', 'stride'],
      ['adjacent-line', 'next-line'],
    ]);
  for (const name of ['zen2', 'zen3', 'zen4'])
    expect(prefetchers(name)).toEqual([
      ['next-line', 'stride'],
      ['next-line', 'adjacent-line'],
    ]);
  expect(prefetchers('graviton3')).toEqual([['next-line', 'stride'], ['next-line']]);
  expect(
    Object.values(PRESETS)
      .map(({ describe }) => describe().l1.policy)
      .filter((policy) => policy !== undefined),
  ).toEqual(['tree-plru']);
});

test('more threads than a socket has cores go on to the next socket', () => {
  const machine = resolveMachine({ machine: 'skylake-sp' }, 40);
  expect([
    machine.cores,
    machine.coresPerSocket,
    machine.remoteCacheLatencyCycles,
    machine.remoteMemoryLatencyCycles,
  ]).toEqual([40, 28, 280, 374]);
});

test('on one socket nothing is remote', () => {
  const machine = resolveMachine({ machine: 'skylake-sp' }, 28);
  expect(Object.keys(machine).filter((field) => /remote|Socket/.test(field))).toEqual([]);
});
