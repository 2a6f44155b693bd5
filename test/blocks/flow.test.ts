// Stage: test. Kirchhoff's rule on drawn control flow graphs.
import { expect, test } from 'vitest';
import { edgeCounts, recordWays } from '../../src/blocks/edge-counts.js';
import { atMost } from '../../src/blocks/flow-bounds.js';
import { solveFlow, type Copies, type KnownFlow } from '../../src/blocks/flow.js';
import { draw } from './drawn-flow.js';

/** Blocks by their place. */
const known = (...counts: (readonly [block: number, executions: number])[]): Copies[] =>
  counts.map(([block, executions]) => ({ blocks: [block], executions }));
const flow = (copies: readonly Copies[], more: Partial<KnownFlow> = {}): KnownFlow => ({
  copies,
  edges: () => null,
  targets: [],
  others: { into: Array(9).fill(0), out: Array(9).fill(0) },
  ...more,
});

test('the other side of a diamond, and its join', () => {
  expect(solveFlow(draw('1>2,3 2>4 3>4 4.'), flow(known([0, 10], [1, 3])))).toEqual([10, 3, 7, 10]);
});

test('a loop: its body says how often its head runs', () => {
  // 1 leads to the head 2, which goes on to the body 3 or out to 4.
  expect(solveFlow(draw('1>2 2>3,4 3>2 4.'), flow(known([0, 1], [2, 100])))).toEqual([1, 101, 100, 1]);
});

test('one block alone says nothing of two that share what comes in', () => {
  expect(solveFlow(draw('1>2,3 2>4 3>4 4.'), flow(known([0, 10])))).toEqual([10, null, null, null]);
});

test('no way leads to what did not run, or from it', () => {
  // 3 did not run, so all of 1 went to 2, and all of 4 came from there.
  expect(solveFlow(draw('1>2,3 2>4,5 3>4,5 4. 5.'), flow(known([0, 10], [2, 0], [3, 4])))).toEqual([10, 10, 0, 4, 6]);
});

test('copies of one place ran as often together', () => {
  const copies = [...known([0, 10], [1, 4]), { blocks: [1, 2], executions: 10 }];
  expect(solveFlow(draw('1>2,3 2. 3.'), flow(copies))).toEqual([10, 4, 6]);
});

test('what came next says how often a way was taken, if it says it exactly', () => {
  const blocks = draw('1>2,3 2>4 3>4 4.');
  const taken = (least: number, most: number): KnownFlow =>
    flow(known([0, 10]), { edges: (block, way) => (block === 0 && way === 0 ? { least, most } : null) });
  expect(solveFlow(blocks, taken(4, 4))).toEqual([10, 4, 6, 10]);
  expect(solveFlow(blocks, taken(4, 5))).toEqual([10, null, null, null]);
  expect(atMost(blocks, [10, null, null, null], taken(4, 5))).toEqual([10, 5, 10, 15]);
});

test('a call that does not return leaves what cannot be deduced unknown, and no count below 0', () => {
  const counts = solveFlow(draw('1>2,3 2. 3.'), flow(known([0, 5], [1, 9])));
  expect(counts).toEqual([5, 9, null]);
});

test('a block that a computed jump may lead to has more ways in', () => {
  const [first, ...others] = draw('1. 2>3 3.');
  const blocks = [{ ...first, isJump: true }, ...others];
  expect(solveFlow(blocks, flow(known([1, 5]), { targets: [3] }))).toEqual([null, 5, null]);
  expect(solveFlow(blocks, flow(known([1, 5]), { targets: [2] }))).toEqual([null, 5, 5]);
});

test('of two arms without records nobody knows which one ran', () => {
  const blocks = draw('1>2,3 2>4 3>4 4.');
  const next = new Map([[0, new Map([[1, 10]])]]); // record 1 came 10 times behind record 0
  const edges = edgeCounts(blocks, recordWays(blocks, [[0], [], [], [1]], []), { made: Float64Array.of(10, 10), next });
  expect([edges(0, 0), edges(0, 1), edges(1, 0), edges(2, 0)]).toEqual([
    { least: 0, most: 10 },
    { least: 0, most: 10 },
    { least: 0, most: 10 },
    { least: 0, most: 10 },
  ]);
  expect(solveFlow(blocks, flow(known([0, 10], [3, 10]), { edges }))).toEqual([10, null, null, 10]);
});
