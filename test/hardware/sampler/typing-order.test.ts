// Two objects at one address, one after the other, and samples around them: however events and samples arrive, each
// sample is of what was there at its time.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { splitDataSource } from '../../../src/hardware/samples/data-source.js';
import { folder, PROBE, readSampled } from './typed-programs.js';

interface Arrival {
  readonly time: number;
  readonly line: string;
}

const arrival = (time: number, line: string): Arrival => ({ time, line });

/** Every order in which each stream keeps its own. */
function* merges(streams: readonly (readonly Arrival[])[]): Generator<Arrival[]> {
  if (streams.every((stream) => stream.length === 0)) yield [];
  for (const [index, [first, ...rest]] of streams.entries()) {
    if (first === undefined) continue;
    for (const behind of merges(streams.with(index, rest))) yield [first, ...behind];
  }
}

let scripts = 0;

/** The samples' descriptions, of each run. */
function runScript(runs: readonly (readonly string[])[]): string[][] {
  return runToFiles(runs).map((file) => [...readSampled(file).samples]);
}

function runToFiles(runs: readonly (readonly string[])[]): string[] {
  const script = join(folder, `script-${scripts++}`);
  const files = runs.map((_, index) => `${script}-${index}.dpsamples`);
  writeFileSync(script, runs.map((lines, index) => [`run ${files[index]}`, ...lines].join('\n')).join('\n') + '\n');
  const { status, stderr } = spawnSync(PROBE, ['--script', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return files;
}

const ADDRESS = '0x100000';
const FIRST_THREAD = [arrival(10, `allocate 0 10 ${ADDRESS} 32`), arrival(20, `free 0 20 ${ADDRESS}`)];
const SECOND_THREAD = [arrival(21, `allocate 1 21 ${ADDRESS} 48`), arrival(40, `free 1 40 ${ADDRESS}`)];
const SAMPLES = [9, 10, 20, 22, 41].map((time) => arrival(time, `sample ${time} 0x100004`));
const TRUTH = [
  'untyped',
  'site heap-32@(unknown) 4 -',
  'site heap-32@(unknown) 4 -',
  'site heap-48@(unknown) 4 -',
  'untyped',
];

test('whatever order two threads and the samples arrive in, settled at the end', () => {
  const orders = [...merges([FIRST_THREAD, SECOND_THREAD, SAMPLES])];
  expect(orders).toHaveLength(756); // 9! / (2! 2! 5!)
  const found = runScript(orders.map((order) => order.map(({ line }) => line)));
  expect(new Set(found.map((samples) => samples.join('\n')))).toEqual(new Set([TRUTH.join('\n')]));
});

test('and settled as far as nothing is missing, behind each arrival', () => {
  const orders = [...merges([FIRST_THREAD, SECOND_THREAD, SAMPLES])];
  const runs = orders.map((order) =>
    order.flatMap(({ line }, index) => [
      line,
      `settle ${Math.min(...order.slice(index + 1).map(({ time }) => time), 1000)}`,
    ]),
  );
  const found = runScript(runs);
  expect(new Set(found.map((samples) => samples.join('\n')))).toEqual(new Set([TRUTH.join('\n')]));
});

test('a free that is announced late takes no sample from its object, and no object from a sample', () => {
  // Its thread had the time, and was interrupted before it wrote: the allocator has not had the memory back meanwhile.
  const [samples] = runScript([
    [
      `allocate 0 10 ${ADDRESS} 32`,
      `sample 15 ${ADDRESS}`,
      'settle 30',
      `free 0 20 ${ADDRESS}`,
      `allocate 1 31 ${ADDRESS} 48`,
      `sample 35 ${ADDRESS}`,
      'settle 40',
    ],
  ]);
  expect(samples).toEqual(['site heap-32@(unknown) 0 -', 'site heap-48@(unknown) 0 -']);
});

test('of an address the innermost counts: a part before its block, a block before its mapping', () => {
  const [samples] = runScript([
    [
      'map 0 1 0x100000 0x4000',
      'allocate 0 2 0x101000 0x2000',
      'part 0 3 0x101800 100',
      'sample 4 0x100010',
      'sample 5 0x101010',
      'sample 6 0x101810',
      'sample 7 0x101864',
      'sample 8 0x103000',
      'free-part 0 9 0x101800',
      'sample 10 0x101810',
      'free 0 11 0x101000',
      'sample 12 0x101810',
      'unmap 0 13 0x101000 0x1000',
      'sample 14 0x100fff',
      'sample 15 0x101810',
    ],
  ]);
  expect(samples).toEqual([
    'site heap-16384@(unknown) 16 -',
    'site heap-8192@(unknown) 16 -',
    'site heap-100@(unknown) 16 -',
    'site heap-8192@(unknown) 2148 -',
    'site heap-16384@(unknown) 12288 -',
    'site heap-8192@(unknown) 2064 -',
    'site heap-16384@(unknown) 6160 -',
    'site heap-16384@(unknown) 4095 -',
    'untyped',
  ]);
});

test('what a failed realloc has freed lives on; what begins over another object ends it', () => {
  const [samples] = runScript([
    [
      'allocate 0 1 0x100000 32',
      'allocate 1 2 0x200000 40',
      'free 0 3 0x100000',
      'free 1 4 0x200000',
      'kept 0 5 0x100000',
      'sample 6 0x100000',
      'sample 7 0x200000',
      'allocate 0 8 0x100010 64',
      'sample 9 0x100000',
      'sample 10 0x10001f',
    ],
  ]);
  expect(samples).toEqual(['site heap-32@(unknown) 0 -', 'untyped', 'untyped', 'site heap-64@(unknown) 15 -']);
});

test('objects that cross pages, large ones and those of no bytes are found by every byte they have', () => {
  const objects = [
    [0x100ff0, 32],
    [0x101010, 0],
    [0x102000, 4096],
    [0x103000, 5000],
    [0x200000, 1 << 20],
  ] as const;
  const at = objects.flatMap(([address, bytes]) => [
    address - 1,
    address,
    address + Math.max(bytes, 1) - 1,
    address + Math.max(bytes, 1),
  ]);
  const [samples] = runScript([
    [
      ...objects.map(([address, bytes], index) => `allocate 0 ${index + 1} ${address} ${bytes}`),
      ...at.map((address, index) => `sample ${100 + index} ${address}`),
    ],
  ]);
  const truth = at.map((address) => {
    const found = objects.find(([begin, bytes]) => begin <= address && address < begin + Math.max(bytes, 1));
    return found === undefined ? 'untyped' : `site heap-${found[1]}@(unknown) ${address - found[0]} -`;
  });
  expect(samples).toEqual(truth);
});

test('data sources of every kind stand in the file as the kernel gave them', () => {
  let state = 1;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  // One bit of each part or none as a rule, as processors say it, and any bits.
  const bit = (count: number): number => (draw(4) === 0 ? 0 : 1 << draw(count));
  const sources = Array.from({ length: 20_000 }, (_, index) => {
    const [low, high] =
      index % 4 === 0
        ? [draw(2 ** 32), draw(1 << 14)]
        : [
            bit(5) | (bit(14) << 5) | (bit(5) << 19) | (draw(2) === 0 ? 2 << 5 : 0),
            (draw(16) << 1) | (draw(2) << 5) | (draw(4) << 6) | (draw(8) << 11),
          ];
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  });
  const [file] = runToFiles([sources.map((source, index) => `sample ${index + 1} 0x100000 ${source}`)]);
  const { columns } = readSampled(file);
  expect([...columns.dataSource]).toEqual(sources);
  expect(new Set(sources.map((source) => splitDataSource(source).servedBy)).size).toBe(14);
});
