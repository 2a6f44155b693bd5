// Stage: test. The costs of a loop's blocks, as those of an iteration.
import { expect, test } from 'vitest';
import type { CountedBlock } from '../../src/blocks/block-executions.js';
import type { BlockCost, BlockPrice, CountedFunction } from '../../src/views/block-costs.js';
import { joinLoops } from '../../src/views/block-loops.js';

const blockAt = (address: number, executions: number, instructions: number): CountedBlock => ({
  address,
  code: '90'.repeat(instructions),
  stretches: [],
  instructions,
  next: [],
  leaves: false,
  isJump: false,
  otherBody: 0,
  logs: false,
  returns: false,
  callsLast: false,
  endsInCall: false,
  executions,
  atMost: executions,
  records: [],
});

const header = blockAt(4, 100, 2);
const arm = blockAt(8, 25, 8);
const behind = blockAt(16, 1, 1);
const never = blockAt(24, 0, 9);
const of: CountedFunction = {
  function: 'f',
  symbol: 'f',
  file: '/a',
  address: 0,
  blocks: [header, arm, behind, never],
  loops: [[header, arm, never]],
};

const price = (cycles: number, more: Partial<BlockPrice> = {}): BlockPrice => ({
  measured: cycles,
  predicted: 2 * cycles,
  throughput: cycles,
  cycles,
  by: 'measured',
  ...more,
});

function costOf(block: CountedBlock, more: Partial<BlockCost>): BlockCost {
  const byLevel = { l1: 0, l2: 0, llc: 0 };
  const own = { missCycles: byLevel, waitCycles: 0, misses: byLevel, typeCycles: new Map(), type: null, ...more };
  const { price: paid = price(1), waitCycles } = own;
  return {
    ...own,
    of,
    block,
    parts: [],
    executions: block.executions!,
    instructions: block.instructions,
    price: paid,
    l1: more.l1 ?? { all: 0, shared: 0 },
    bound: 'compute',
    cycles: block.executions! * (paid.cycles + waitCycles),
  };
}

test('an iteration has its share of what does not run in each', () => {
  const costs = [
    costOf(behind, {}),
    costOf(header, { price: price(3), typeCycles: new Map([['t', 40]]), type: 't' }),
    costOf(arm, {
      price: price(4),
      waitCycles: 8,
      misses: { l1: 2, l2: 1, llc: 0 },
      missCycles: { l1: 20, l2: 8, llc: 0 },
      typeCycles: new Map([
        ['t', 30],
        ['u', 60],
      ]),
      type: 'u',
      l1: { all: 50, shared: 30 },
    }),
  ];
  const [alone, loop] = joinLoops(costs);
  expect(alone).toBe(costs[0]);
  expect(loop).toMatchObject({
    block: header,
    parts: [costs[1], costs[2]],
    executions: 100,
    instructions: 2 + 8 / 4,
    price: { measured: 4, predicted: 8, throughput: 4, cycles: 4, by: 'measured' },
    waitCycles: 2,
    misses: { l1: 0.5, l2: 0.25, llc: 0 },
    missCycles: { l1: 5, l2: 2, llc: 0 },
    type: 't',
    l1: { all: 50, shared: 30 },
    bound: 'dependency',
    cycles: 600,
  });
  expect(joinLoops(costs)).toHaveLength(2);
});

test('what waits longer than it computes is bound by sharing if most of its misses are', () => {
  const waits = (shared: number): string =>
    joinLoops([costOf(header, {}), costOf(arm, { waitCycles: 100, l1: { all: 50, shared } })])[0].bound;
  expect([waits(26), waits(25)]).toEqual(['sharing', 'latency']);
});

test('a number that a block lacks the loop lacks, and it is priced as its costliest block', () => {
  const [loop] = joinLoops([
    costOf(header, { price: price(3) }),
    costOf(arm, { price: price(40, { measured: null, by: 'llvm-mca' }) }),
  ]);
  expect(loop.price).toEqual({ measured: null, predicted: 26, throughput: 13, cycles: 13, by: 'llvm-mca' });
});

test('a loop is joined only with the block at which an iteration begins', () => {
  const costs = [costOf(arm, {}), costOf(behind, {})];
  expect(joinLoops(costs)).toEqual(costs);
  expect(joinLoops([costOf(header, {})])).toEqual([costOf(header, {})]);
});
