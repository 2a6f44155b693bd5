// Stage: test. How often the blocks of a drawn function ran, by its probes and by what the records say.
import { describe, expect, test } from 'vitest';
import { countBlocks } from '../../src/blocks/block-executions.js';
import type { CodeBlock } from '../../src/blocks/machine-code.js';
import { RecordFlag } from '../../src/trace/layout.js';
import { draw } from './drawn-flow.js';

/** `records`: by address, the number of the record; `next`: "0>1:7", record 1 came so often behind record 0. */
function countDrawn(
  blocks: readonly CodeBlock[],
  records: Readonly<Record<number, number>>,
  made: readonly number[],
  next: string,
  entries: readonly number[] = [],
): Record<number, number | null> {
  const pairs = new Map<number, Map<number, number>>();
  for (const [from, to, times] of next
    .split(' ')
    .filter(Boolean)
    .map((word) => word.split(/[>:]/).map(Number)))
    pairs.set(from, (pairs.get(from) ?? new Map<number, number>()).set(to, times));
  const probes = Object.entries(records).map(([address, record]) => ({
    address: Number(address),
    unit: 'u',
    record: 1 + record,
  }));
  const code = { name: 'f', address: 1, offset: 0, blocks, probes, targets: [] };
  const facts = {
    function: new Uint32Array(made.length),
    flags: Uint8Array.from(made, (_, record) => (entries.includes(record) ? RecordFlag.entry : 0)),
  };
  const counted = countBlocks(code, new Map([['u', 0]]), { made: Float64Array.from(made), next: pairs }, facts);
  return Object.fromEntries(counted!.map(({ address, executions }) => [address, executions]));
}

const withTail = (text: string, tail: number): CodeBlock[] =>
  draw(text).map((block) => (block.address === tail ? { ...block, returns: false, callsLast: true } : block));

test('a return is not done where a call took its place', () => {
  // The exit's record, 2, is made behind the call in 2, too; 3 leads on to a return that other code shares.
  const blocks = withTail('1>2,3 2. 3>4 4. 5>4', 2);
  expect(countDrawn(blocks, { 1: 0, 2: 1, 3: 2 }, [10, 7, 10], '0>1:7 0>2:3 1>2:7')).toMatchObject({
    1: 10,
    2: 7,
    3: 3,
  });
});

test('where a call took its place without a record of its own, what is known of the ways there decides', () => {
  const blocks = withTail('1>2,3 2. 3>4 4. 5>4', 2);
  expect(countDrawn(blocks, { 1: 0, 3: 2 }, [10, 0, 10], '0>2:10')).toMatchObject({ 1: 10, 2: null, 3: null });
});

test('what comes before the choice between the bodies has the rest of a loop that the function begins with', () => {
  // 1 chooses 2, the loop, and 9 is the body that records.
  const [first, ...others] = draw('1>2 2>2,3 3. 9.');
  const blocks = [{ ...first, otherBody: 9 }, ...others];
  expect(countDrawn(blocks, { 2: 0, 3: 1 }, [120, 4], '0>0:116 0>1:4')).toEqual({ 1: 4, 2: 120, 3: 4 });
});

test('what comes before the choice runs once a call, whatever lost its place', () => {
  // Records 0, of the entry, and 2 have none.
  const [first, ...others] = draw('1>2 2>2,3 3. 9.');
  const blocks = [{ ...first, otherBody: 9 }, ...others];
  const [made, next] = [[10, 16, 10], '0>1:10 1>1:6 1>2:10'];
  expect(countDrawn(blocks, { 2: 1 }, made, next)).toEqual({ 1: null, 2: 16, 3: null });
  expect(countDrawn(blocks, { 2: 1 }, made, next, [0])).toEqual({ 1: 10, 2: 16, 3: 10 });
});

test('the choice itself is no block', () => {
  const [first, ...others] = draw('1>2 2>2,3 3. 9.');
  const blocks = [{ ...first, otherBody: 9, instructions: 0, code: '', stretches: [] }, ...others];
  expect(countDrawn(blocks, { 2: 0, 3: 1 }, [120, 4], '0>0:116 0>1:4')).toEqual({ 2: 120, 3: 4 });
});

test('what can not have run says more of what is beside it', () => {
  // From 1 to 3 nothing is known, but behind 3 only 4 follows, which did not run.
  const [first, second, third, fourth] = draw('1>2,3 2. 3>4,5 4. 5>4');
  expect(countDrawn([first, second, third, fourth, draw('5>4')[0]], { 1: 0, 4: 1 }, [10, 0], '0>2:10')).toEqual({
    1: 10,
    2: 10,
    3: 0,
    4: 0,
    5: 0,
  });
});

describe('a call that does not return, without a record', () => {
  // Behind 3, code of the other body follows.
  const blocks = draw('1>2,3 2. 3>9');

  test('did not run if all that was made has its place', () => {
    expect(countDrawn(blocks, { 1: 0 }, [10], '')).toEqual({ 1: 10, 2: 10, 3: 0 });
  });

  test('may have run if something that was made has none', () => {
    expect(countDrawn(blocks, { 1: 0 }, [10, 4], '0>1:4')).toMatchObject({ 1: 10, 2: null, 3: null });
  });

  test('ran as often as the code that goes on into it', () => {
    const shared = draw('1>2,3 2>4 3>4 4>9');
    expect(countDrawn(shared, { 1: 0, 2: 1, 3: 2 }, [10, 4, 6], '0>1:4 0>2:6')).toEqual({ 1: 10, 2: 4, 3: 6, 4: 10 });
  });
});
