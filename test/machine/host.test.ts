// Stage: test. The host, from folders as the kernel lays them out.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkMachine } from '../../src/machine/check-machine.js';
import { readHostMachine } from '../../src/machine/read-host-machine.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-host-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Cache = readonly [level: number, type: string, size: string, ways: number, cpus: string];

function sysfs(caches: readonly Cache[], topology: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(folder, 'cpu-'));
  const write = (path: string, files: object): void => {
    mkdirSync(path, { recursive: true });
    for (const [name, value] of Object.entries(files)) writeFileSync(join(path, name), `${value}\n`);
  };
  caches.forEach(([level, type, size, ways, shared_cpu_list], index) =>
    write(join(directory, 'cache', `index${index}`), {
      level,
      type,
      size,
      ways_of_associativity: ways,
      coherency_line_size: 64,
      shared_cpu_list,
    }),
  );
  write(join(directory, 'topology'), topology);
  return directory;
}

const plain = (l1: string, l2: string, l3: string): Cache[] => [
  [1, 'Data', '48K', 12, l1],
  [1, 'Instruction', '64K', 8, l1],
  [2, 'Unified', '2048K', 16, l2],
  [3, 'Unified', '15360K', 12, l3],
];
const groups = (directory: string, cpus: number): (number | undefined)[] => {
  const machine = readHostMachine(directory, cpus);
  const { coresPerL1, coresPerL2, coresPerLlc, coresPerSocket } = machine;
  expect(checkMachine({ ...machine, cores: 64, coresPerLlc: coresPerLlc ?? 64 }).name).toBe('host');
  return [coresPerL1, coresPerL2, coresPerLlc, coresPerSocket];
};

test(
  'the geometry is what sysfs says, of data caches only; what sysfs does not say is as in the default ' + 'machine',
  () => {
    expect(readHostMachine(sysfs(plain('0', '0', '0-3')), 4)).toEqual({
      name: 'host',
      lineBytes: 64,
      l1: { sizeBytes: 49152, ways: 12, latencyCycles: 4 },
      l2: { sizeBytes: 2097152, ways: 16, latencyCycles: 14 },
      llc: { sizeBytes: 15728640, ways: 12, latencyCycles: 50 },
      memoryLatencyCycles: 200,
      cacheToCacheLatencyCycles: 200,
    });
  },
);

test('one LLC for all, and no siblings: nothing is grouped', () => {
  expect(groups(sysfs(plain('0', '0', '0-3'), { core_cpus_list: '0', package_cpus_list: '0-3' }), 4)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('SMT siblings far apart: a simulated core is a core, and groups are counted without siblings', () => {
  const directory = sysfs(plain('0,8', '0,8', '0-3,8-11'), { core_cpus_list: '0,8', package_cpus_list: '0-7,8-15' });
  expect(groups(directory, 16)).toEqual([undefined, undefined, 4, undefined]);
});

test('two sockets, each with an LLC, under the names of old kernels', () => {
  const directory = sysfs(plain('0,16', '0,16', '0-7,16-23'), {
    thread_siblings_list: '0,16',
    core_siblings_list: '0-7,16-23',
  });
  expect(groups(directory, 32)).toEqual([undefined, undefined, 8, 8]);
});

test('two sockets of two core complexes each', () => {
  expect(groups(sysfs(plain('0', '0', '0-3'), { core_cpus_list: '0', package_cpus_list: '0-7' }), 16)).toEqual([
    undefined,
    undefined,
    4,
    8,
  ]);
});

test('an L2 for each cluster of four cores', () => {
  expect(groups(sysfs(plain('0', '0-3', '0-7'), { core_cpus_list: '0' }), 8)).toEqual([
    undefined,
    4,
    undefined,
    undefined,
  ]);
});

test('groups that do not nest, as some hypervisors say, are left out', () => {
  expect(groups(sysfs(plain('0', '0-2', '0-3'), { core_cpus_list: '0', package_cpus_list: '0-5' }), 8)).toEqual([
    undefined,
    3,
    undefined,
    undefined,
  ]);
  expect(groups(sysfs(plain('0', '0', '0-3'), { core_cpus_list: '0', package_cpus_list: '0-5' }), 8)).toEqual([
    undefined,
    undefined,
    4,
    undefined,
  ]);
});

test('no topology at all: every CPU is a core', () => {
  expect(groups(sysfs(plain('0', '0', '0-1')), 4)).toEqual([undefined, undefined, 2, undefined]);
});

test('0 ways are fully associative', () => {
  expect(
    readHostMachine(
      sysfs([
        [1, 'Data', '32K', 0, '0'],
        [2, 'Unified', '1M', 16, '0'],
        [3, 'Unified', '8M', 16, '0'],
      ]),
      1,
    ).l1.ways,
  ).toBe(512);
});

test('a level beyond the third is the last one', () => {
  expect(readHostMachine(sysfs([...plain('0', '0', '0'), [4, 'Unified', '128M', 16, '0']]), 1).llc.sizeBytes).toBe(
    128 << 20,
  );
});

test('a host whose caches sysfs does not describe', () => {
  expect(() => readHostMachine(join(folder, 'nothing'))).toThrow(
    "the kernel does not describe this machine's caches (ENOENT)",
  );
  expect(() => readHostMachine(sysfs([[1, 'Data', '32K', 8, '0']]), 1)).toThrow(
    /does not describe a level 2 data cache/,
  );
  expect(() => readHostMachine(sysfs(plain('0', '0', '0').slice(0, 3)), 1)).toThrow(
    /does not describe a level 3 data cache/,
  );
});
