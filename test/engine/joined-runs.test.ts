// Words that follow from one address and hit one line are one entry of a batch, and loops of few iterations are one
// path: they slide over small objects that begin, end and lie side by side, and stay at each place for a while.

import { test } from 'vitest';
import { Allocator, EventCode } from '../../src/trace/layout.js';
import { atLength } from '../at-length.js';
import { addLoop } from '../drawn/region-builder.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import type { UnitSlot } from '../../src/trace/unit.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { expectSameCounts, smallMachine } from './lone-thread.js';

const HEAP = 0x10_0000n;
const BLOCK = 24;
const BLOCKS = 12;

const builder = new UnitBuilder();
const code = builder.function('code');
const other = builder.function('other');
const slot = (kind: 'load' | 'store', more: object = {}): UnitSlot => builder.slot(kind, { sizeBytes: 8, ...more });

/** Accesses at these offsets from the first. */
function near(deltas: readonly number[], kind: 'load' | 'store'): number {
  const base = builder.unit.slots.length + 1;
  const slots = deltas.map((delta, at) => slot(at % 2 ? kind : 'load', { line: at, ...(at > 0 && { base, delta }) }));
  return builder.alone('segment', slots, { function: code });
}

const loads = near([0, 8, 16], 'load');
const stores = near([0, -8, 4, 12], 'store');
const single = builder.alone('segment', [slot('store')], { function: other });
const scan = addLoop(builder.unit, [builder.record('segment', [slot('load', { delta: 8 })], { function: code })]);
const move = addLoop(builder.unit, [
  builder.record('segment', [slot('load', { delta: 8 })], { function: code }),
  builder.record('segment', [slot('store', { delta: -4 })], { function: code }),
]);

function randomSteps(random: RandomNumbers): EncodedStep[] {
  let stamp = 0n;
  const place = (): bigint => HEAP + 64n + BigInt(8 * random.below((BLOCK * BLOCKS) / 8));
  const block = (): bigint => HEAP + 64n + BigInt(BLOCK * random.below(BLOCKS));
  const allocate = (address: bigint): EncodedStep => {
    const [event, detail] = [EventCode.allocate, Allocator.malloc];
    return { code: event, detail, stamp: ++stamp, address, size: BigInt(BLOCK) };
  };
  const stays = (steps: readonly EncodedStep[]): EncodedStep[] =>
    Array.from({ length: random.between(1, 12) }, () => steps).flat();
  const kinds: readonly (() => EncodedStep[])[] = [
    () => stays([{ path: loads, words: [place()] }]),
    () => stays([{ path: stores, words: [place()] }]),
    () => stays([{ path: single, words: [place()] }]),
    () => stays([{ path: scan, words: [BigInt(random.between(1, 30)), place()] }]),
    () => stays([{ path: move + random.below(2), words: [BigInt(random.between(1, 14)), place(), place()] }]),
    () => [allocate(block())],
  ];
  const begin = Array.from({ length: BLOCKS }, (_, at) => allocate(HEAP + 64n + BigInt(BLOCK * at)));
  return [...begin, ...Array.from({ length: 400 }, () => random.pick(kinds)()).flat()];
}

const machine = smallMachine(
  { sizeBytes: 256, ways: 2, latencyCycles: 4 },
  { sizeBytes: 1024, ways: 4, latencyCycles: 14 },
);

test('runs of words and short loops count as their references do', () => {
  for (let seed = 1; seed <= atLength(6, 60); seed++)
    expectSameCounts(builder.unit, randomSteps(new RandomNumbers(seed)), machine, seed);
});
