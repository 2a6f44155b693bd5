// A path that is taken again and again over the same addresses is one entry of a batch once all of it hits: meanwhile
// objects begin, end and lie over one another, frames come and go, other functions take steps, and lines leave the L1.

import { test } from 'vitest';
import { Allocator, EventCode, RecordFlag } from '../../src/trace/layout.js';
import { atLength } from '../at-length.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { expectSameCounts, smallMachine } from './lone-thread.js';

const HEAP = 0x10_0000n;
const STACK = 0x20_0000n;
const BLOCK = 40;
const BLOCKS = 6;

const builder = new UnitBuilder();
const functions = [builder.function('one'), builder.function('other')];
const word = builder.type('scalar', 'long', 8);
const pair = builder.type('struct', 'pair', 16, {
  members: [
    { name: 'a', type: word, offset: 0 },
    { name: 'b', type: word, offset: 8 },
  ],
});
const local = builder.variable('stack', 'local', pair, 16);
const bytes = builder.variable('stack', 'bytes', 0, 24);

/** Two accesses from one address, then some from others. */
function mixed(at: number, count: number): number {
  const base = builder.unit.slots.length + 1;
  const near = [
    builder.slot('load', { line: at, type: pair, path: 'a' }),
    builder.slot('store', { line: at, type: pair, path: 'b', base, delta: 8 }),
  ];
  const others = Array.from({ length: count }, (_, i) =>
    builder.slot(i % 2 ? 'store' : 'load', { line: at + 1 + i, sizeBytes: 4, ...(i % 3 === 1 && { type: word }) }),
  );
  return builder.alone('segment', [...near, ...others], { function: functions[at % 2], instructions: 3 });
}

const paths = [1, 2, 2, 3, 5].map((count, at) => ({ path: mixed(at, count), words: count + 1 }));
const far = builder.alone('segment', [builder.slot('load', { line: 90 })], { function: functions[0] });
const entry = RecordFlag.entry | RecordFlag.frame;
const enter = builder.alone(
  'marker',
  [
    builder.slot('object', { variable: local, sizeBytes: 16 }),
    builder.slot('object', { variable: bytes, sizeBytes: 24 }),
  ],
  { flags: entry, function: functions[1] },
);
const leave = builder.alone('segment', [builder.slot('load', { line: 91 })], {
  flags: RecordFlag.exit | RecordFlag.frame,
  function: functions[1],
});

function randomSteps(random: RandomNumbers): EncodedStep[] {
  let stamp = 0n;
  const block = (): bigint => HEAP + BigInt(BLOCK * random.below(BLOCKS));
  const allocate = (address: bigint): EncodedStep => {
    const [event, detail] = [EventCode.allocate, Allocator.malloc];
    return { code: event, detail, stamp: ++stamp, address, size: BigInt(random.pick([BLOCK, BLOCK, 16])) };
  };
  const free = (address: bigint): EncodedStep => {
    const [event, detail] = [EventCode.free, Allocator.malloc];
    return { code: event, detail, stamp: ++stamp, address, size: 0n };
  };
  const place = (): bigint =>
    random.below(4) ? block() + 8n * BigInt(random.below(3)) : STACK + BigInt(8 * random.below(8));
  const known = paths.flatMap(({ path, words }) =>
    Array.from({ length: 2 }, () => ({ path, words: Array.from({ length: words }, place) })),
  );
  const kinds: readonly (() => EncodedStep[])[] = [
    () => [allocate(block())],
    () => [allocate(STACK + 24n)],
    () => [free(block())],
    () => [{ path: enter, words: [STACK + 16n, STACK + 32n] }],
    () => [{ path: leave, words: [STACK + 16n] }],
    () => [{ path: far, words: [HEAP + 64n * BigInt(random.below(64))] }],
  ];
  const steps = Array.from({ length: BLOCKS }, (_, at) => allocate(HEAP + BigInt(BLOCK * at)));
  for (let scene = 0; scene < 40; scene++) {
    const taken = Array.from({ length: random.between(1, 3) }, () => random.pick(known));
    const rarely = random.pick([2, 8, 30]);
    for (let times = random.between(4, 60); times > 0; times--) {
      steps.push(...taken);
      if (random.below(rarely) === 0) steps.push(...random.pick(kinds)());
    }
  }
  return steps;
}

const machine = smallMachine(
  { sizeBytes: 1024, ways: 4, latencyCycles: 4 },
  { sizeBytes: 2048, ways: 4, latencyCycles: 14 },
);

test('paths that repeat their addresses count as their references do', () => {
  // In seed 38 an object's path is cut in the middle of a path that repeats.
  for (const seed of [38, ...Array.from({ length: atLength(7, 300) }, (_, at) => at + 1)])
    expectSameCounts(builder.unit, randomSteps(new RandomNumbers(seed)), machine, seed);
});
