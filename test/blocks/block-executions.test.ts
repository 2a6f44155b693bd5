// Stage: test. How often the blocks of a drawn function ran, by its probes and by what the records say.
import { describe, expect, test } from 'vitest';
import { countBlocks } from '../../src/blocks/block-executions.js';
import type { RecordExecutions } from '../../src/blocks/record-executions.js';
import type { CodeBlock } from '../../src/blocks/machine-code.js';
import { RecordFlag } from '../../src/trace/layout.js';
import { draw } from './drawn-flow.js';

/** `records`: by address, the number of the record; `next`: "0>1:7", record 1 came so often behind record 0. */
function countDrawn(
  blocks: readonly CodeBlock[],
  records: Readonly<Record<number, number>>,
  made: readonly number[],
  next: string,
  { entries = [], exits }: { entries?: readonly number[]; exits?: readonly number[] } = {},
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
    flags: Uint8Array.from(
      made,
      (_, record) =>
        (entries.includes(record) ? RecordFlag.entry : 0) |
        // Else the function ends where nothing came next.
        ((exits?.includes(record) ?? !pairs.has(record)) ? RecordFlag.exit : 0),
    ),
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

test('a tail that other code jumps to by itself ran as often as what goes on into its place', () => {
  // 5 of the times that record 2 was made, the branch in 1 led to the called function at once.
  const blocks = withTail('1>2,3 2>4 3. 4.', 4);
  const [made, next] = [[10, 4, 9], '0>1:4 0>2:5 1>2:4'];
  expect(countDrawn(blocks, { 1: 0, 2: 1, 4: 2 }, made, next)).toMatchObject({ 1: 10, 2: 4 }); // 4 is one with 2
});

test('what comes before the choice between the bodies has the rest of a loop that the function begins with', () => {
  // 1 chooses 2, the loop, and 9 is the body that records.
  const [first, ...others] = draw('1>2 2>2,3 3. 9.');
  const blocks = [{ ...first, otherBody: 9 }, ...others];
  const next = '2>0:4 0>0:116 0>1:4'; // record 2, of the entry, has no place
  expect(countDrawn(blocks, { 2: 0, 3: 1 }, [120, 4, 4], next)).toEqual({ 1: 4, 2: 120, 3: 4 });
});

test('what comes before the choice runs once a call, whatever lost its place', () => {
  // Records 0, of the entry, and 2 have none.
  const [first, ...others] = draw('1>2 2>2,3 3. 9.');
  const blocks = [{ ...first, otherBody: 9 }, ...others];
  const [made, next] = [[10, 16, 10], '0>1:10 1>1:6 1>2:10'];
  expect(countDrawn(blocks, { 2: 1 }, made, next)).toEqual({ 1: null, 2: 16, 3: null });
  expect(countDrawn(blocks, { 2: 1 }, made, next, { entries: [0] })).toEqual({ 1: 10, 2: 16, 3: 10 });
});

test('the choice itself is no block', () => {
  const [first, ...others] = draw('1>2 2>2,3 3. 9.');
  const blocks = [{ ...first, otherBody: 9, instructions: 0, code: '', stretches: [] }, ...others];
  const next = '2>0:4 0>0:116 0>1:4';
  expect(countDrawn(blocks, { 2: 0, 3: 1 }, [120, 4, 4], next)).toEqual({ 2: 120, 3: 4 });
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
    expect(countDrawn(blocks, { 1: 0 }, [10, 4, 6], '0>1:4 0>2:6', { exits: [2] })).toMatchObject({
      1: 10,
      2: null,
      3: null,
    });
  });

  test('ran as often as the code that goes on into it', () => {
    const shared = draw('1>2,3 2>4 3>4 4>9');
    expect(countDrawn(shared, { 1: 0, 2: 1, 3: 2 }, [10, 4, 6], '0>1:4 0>2:6')).toEqual({ 1: 10, 2: 4, 3: 6, 4: 10 });
  });
});

describe('by no way of the graph', () => {
  // 1 leads to the head 2 of a loop, whose body is 3; behind it 4 returns.
  const blocks = draw('1>2 2>3,4 3>2 4.');
  const records = { 1: 0, 3: 1, 4: 2 };

  test('a run that ends in the body: the head ran as often as the body', () => {
    expect(countDrawn(blocks, records, [1, 7, 0], '0>1:1 1>1:6', { exits: [2] })).toEqual({ 1: 1, 2: 7, 3: 7, 4: 0 });
  });

  test('a child that begins in the body', () => {
    const next = '0>1:1 1>1:13 1>2:2'; // the parent runs the body 7 times, the child from its 3rd time on
    expect(countDrawn(blocks, records, [1, 15, 2], next)).toEqual({ 1: 1, 2: 16, 3: 15, 4: 2 });
  });

  test('a longjmp from the body to what is behind the loop', () => {
    const next = '0>1:9 1>1:40 1>3:3 1>2:6 3>2:3';
    const jumped = draw('1>2,5 2>3,4 3>2 4. 5>4');
    expect(countDrawn(jumped, { 1: 0, 3: 1, 4: 2, 5: 3 }, [9, 49, 9, 3], next)).toEqual({
      1: 9,
      2: 55,
      3: 49,
      4: 9,
      5: 3,
    });
  });

  test('where a record has several places, nobody knows which one it was', () => {
    const copies = draw('1>2,3 2>4 3>4 4>5 5.');
    const counted = countDrawn(copies, { 1: 0, 2: 1, 3: 1, 5: 2 }, [9, 9, 8], '0>1:9 1>2:8', { exits: [2] });
    expect(counted).toMatchObject({ 1: 9, 4: 8 }); // with 5
  });
});

test('what ran before is left out, and pieces that a probe cuts are one again where they agree', () => {
  const blocks = draw('1>2 2>3,4 3>2 4.');
  const of = (made: readonly number[], next: readonly (readonly [number, number, number])[]): RecordExecutions => ({
    made: Float64Array.from(made),
    next: new Map(
      next.map(([from]) => [from, new Map(next.filter(([one]) => one === from).map(([, to, n]) => [to, n]))]),
    ),
  });
  const probes = [1, 3, 4].map((address, record) => ({ address, unit: 'u', record: 1 + record }));
  const code = { name: 'f', address: 1, offset: 0, blocks, probes, targets: [] };
  const facts = { function: new Uint32Array(3), flags: Uint8Array.of(RecordFlag.entry, 0, RecordFlag.exit) };
  const all = of(
    [5, 50, 5],
    [
      [0, 1, 5],
      [1, 1, 45],
      [1, 2, 5],
    ],
  );
  const before = of(
    [3, 24, 2],
    [
      [0, 1, 3],
      [1, 1, 21],
      [1, 2, 2],
    ],
  );
  const counted = countBlocks(code, new Map([['u', 0]]), all, facts, before)!;
  expect(counted.map(({ address, executions, atMost }) => [address, executions, atMost])).toEqual([
    [1, 2, 2],
    [2, 29, 29], // 26 times to the body, 3 times out
    [3, 26, 26],
    [4, 3, 3],
  ]);
});
