import { expect, test } from 'vitest';
import { resolveMachine, type MachineRequest } from '../../src/machine/parse-machine.js';
import { parseSize, spellSize } from '../../src/machine/sizes.js';
import { machineFile, refusal } from './refusal.js';

test('the default machine is that of docs/definitions.md, with a core per thread and one LLC', () => {
  expect(resolveMachine({}, 4)).toEqual({
    name: 'default',
    cores: 4,
    lineBytes: 64,
    l1: { sizeBytes: 32768, ways: 8, latencyCycles: 4 },
    l2: { sizeBytes: 1048576, ways: 16, latencyCycles: 14 },
    llc: { sizeBytes: 33554432, ways: 16, latencyCycles: 50 },
    coresPerLlc: 4,
    memoryLatencyCycles: 200,
    cacheToCacheLatencyCycles: 200,
  });
});

test('at most 64 cores, however many threads, and at least one', () => {
  expect([resolveMachine({}, 200).cores, resolveMachine({}, 0).cores]).toEqual([64, 1]);
});

test('flags change what they name and nothing else', () => {
  const machine = resolveMachine({ cores: '2', l1: '16k/4', llc: '8M/8', line: '128' }, 9);
  expect([machine.cores, machine.coresPerLlc, machine.lineBytes]).toEqual([2, 2, 128]);
  expect(machine.l1).toEqual({ sizeBytes: 16384, ways: 4, latencyCycles: 4 });
  expect(machine.l2).toEqual({ sizeBytes: 1048576, ways: 16, latencyCycles: 14 });
  expect(machine.llc).toEqual({ sizeBytes: 8388608, ways: 8, latencyCycles: 50 });
});

test("the paper's machine: four chips of four cores, an LLC each", () => {
  const machine = resolveMachine({ machine: 'paper' }, 2);
  expect([machine.cores, machine.coresPerLlc]).toEqual([16, 4]);
  expect([machine.l1, machine.l2]).toEqual([
    { sizeBytes: 65536, ways: 2, latencyCycles: 3 },
    { sizeBytes: 524288, ways: 16, latencyCycles: 14 },
  ]);
});

test('a machine file needs to say only what differs', () => {
  const path = machineFile(
    '{"name": "small", "cores": 4, "l1": "16K/4", "l2": {"sizeBytes": "256K", "ways": 8, "latencyCycles": 12}, ' +
      '"coresPerLlc": 2}',
  );
  expect(resolveMachine({ machine: path, l1: '8K/2' }, 1)).toEqual({
    name: 'small',
    cores: 4,
    lineBytes: 64,
    l1: { sizeBytes: 8192, ways: 2, latencyCycles: 4 },
    l2: { sizeBytes: 262144, ways: 8, latencyCycles: 12 },
    llc: { sizeBytes: 33554432, ways: 16, latencyCycles: 50 },
    coresPerLlc: 2,
    memoryLatencyCycles: 200,
    cacheToCacheLatencyCycles: 200,
  });
});

test('sets that are not whole: the sum and a way out', () => {
  expect(refusal({ l1: '33000/8' })).toEqual([
    'l1: 33000 bytes / (8 ways × 64 bytes per line) = 64.453 sets, not a whole number',
    'choose a size that is a multiple of 512 bytes',
  ]);
});

test('sets need not be a power of two, and one is enough', () => {
  expect(resolveMachine({ llc: '24M/16' }, 1).llc.sizeBytes).toBe(25165824);
  expect(resolveMachine({ l1: '512/8' }, 1).l1).toEqual({ sizeBytes: 512, ways: 8, latencyCycles: 4 });
  expect(refusal({ l1: '256/8' })[0]).toBe(
    'l1: 256 bytes / (8 ways × 64 bytes per line) = 0.5 sets, not a whole number',
  );
});

test.each<[MachineRequest, string]>([
  [{ l1: '32K' }, '--l1 32K: not SIZE/WAYS'],
  [{ l2: 'big/8' }, "--l2: 'big' is not a size"],
  [{ l1: '32K/0' }, "--l1: '0' is not a positive whole number"],
  [{ cores: '65' }, 'cores: 65 is more than 64'],
  [{ cores: 'two' }, "--cores: 'two' is not a positive whole number"],
  [{ line: '48' }, 'lineBytes: 48 bytes is not a power of two from 8 to 4096'],
  [
    { machine: '/nowhere/machine.json' },
    '--machine /nowhere/machine.json: neither a preset nor a file that can be read (ENOENT)',
  ],
])('%j is refused', (request, message) => {
  expect(refusal(request)[0]).toBe(message);
});

test.each([
  ['[]', 'not a JSON object'],
  ['{"l4": "1M/16"}', 'unknown field "l4"'],
  ['{"l1": {"size": 3}}', 'unknown field "l1.size"'],
  ['{"cores": -1}', "cores: '-1' is not a whole number from 1 to 64"],
  ['{"l1": 32768}', `l1: '32768' is neither "32K/8" nor an object`],
])('a machine file with %s is refused', (json, message) => {
  const path = machineFile(json);
  expect(refusal({ machine: path })[0]).toBe(`${path}: ${message}`);
});

test('sizes are read and spelled in binary units', () => {
  expect(['64', '32K', '1m', '2G', '4KiB'].map((text) => parseSize('size', text))).toEqual([
    64, 32768, 1048576, 2147483648, 4096,
  ]);
  expect([64, 32768, 1 << 20, 1536].map(spellSize)).toEqual(['64', '32K', '1M', '1536']);
});
