// Signal handlers in the middle of everything: nothing is lost that was whole, nothing is invented, and what was cut
// short is counted.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlainStep, type PlainTrace, readPlain } from './plain-reader.js';
import { Workbench } from './workbench.js';

const bench = new Workbench();
afterAll(() => bench.clean());

/** The steps inside and outside of signal handlers. */
function split(trace: PlainTrace): { inside: PlainStep[]; outside: PlainStep[]; entered: number; left: number } {
  const result = { inside: [] as PlainStep[], outside: [] as PlainStep[], entered: 0, left: 0 };
  for (const step of trace.threads.get(0)!.steps) {
    if ('event' in step && step.event.name === 'SIGNAL') result[step.event.detail ? 'entered' : 'left']++;
    else (result.entered > result.left ? result.inside : result.outside).push(step);
  }
  return result;
}
const wordsOf = (steps: readonly PlainStep[], region: number): bigint[] =>
  steps.flatMap((step) => ('region' in step && step.region === region ? [step.words[0]] : []));

test('handlers that return: every store in sequence, every handler’s loads between its marks', () => {
  const { status, stdout, trace } = bench.record('handler.dptrace', [bench.compile('handler.c')]);
  expect(status).toBe(0);
  const ran = Number(stdout);
  const plain = readPlain(trace);
  const { inside, outside, entered, left } = split(plain);
  expect([entered, left]).toEqual([ran, ran]);
  expect(ran).toBeGreaterThanOrEqual(5);
  expect(plain.end!.lostSegments).toBe(0);
  const stores = wordsOf(outside, 0).slice(0, 300_000);
  const first = stores[0];
  expect(stores).toHaveLength(300_000);
  expect(stores.findIndex((address, i) => address !== first + BigInt((i % 1000) * 8))).toBe(-1);
  expect(wordsOf(inside, 0)).toEqual([]);
  expect(wordsOf(outside, 1)).toEqual([]);
  expect(wordsOf(inside, 1)).toEqual(Array.from({ length: 2 * ran }, (_, i) => first + BigInt((i % 2) * 16)));
});

test.each([
  ['return', 6],
  ['kill', 137],
])('handlers in handlers: three are recorded, the three inside them are counted (%s)', (end, expectedStatus) => {
  const { status, trace } = bench.record(`nested-${end}.dptrace`, [bench.compile('nested.c'), end]);
  const plain = readPlain(trace);
  const { inside, outside, entered, left } = split(plain);
  expect([status, entered, left]).toEqual([expectedStatus, 3, 3]);
  expect([wordsOf(inside, 1), wordsOf(outside, 0)].map((words) => words.length)).toEqual([3, 2]);
  expect(plain.end!.lostSegments).toBe(3);
});

describe('handlers that jump out', () => {
  let program: string;
  beforeAll(() => {
    program = bench.compile('jump.c');
  });

  test.each(['fault', 'late', 'stack'])('%s: ten paths are cut short, ten are counted, none is invented', (mode) => {
    const { status, stdout, trace } = bench.record(`${mode}.dptrace`, [program, mode]);
    expect([status, stdout]).toEqual([0, '10\n']);
    const plain = readPlain(trace);
    const { inside, outside, entered, left } = split(plain);
    expect([entered, left]).toEqual([10, 10]);
    expect(plain.end).toMatchObject({ segments: 20, lostSegments: 10 });
    const stores = wordsOf(outside, 0);
    expect(stores).toEqual(Array.from({ length: 10 }, (_, i) => stores[0] + BigInt(8 * i)));
    expect(wordsOf(inside, 1)).toEqual(Array(10).fill(stores[0]));
    expect([...wordsOf(inside, 2), ...wordsOf(outside, 2)]).toEqual([]);
  });

  test('timer: the loop goes on where it was; a store appears twice only where a jump repeated it', () => {
    const { status, stdout, trace } = bench.record('timer.dptrace', [program, 'timer']);
    expect(status).toBe(0);
    const jumps = Number(stdout);
    const plain = readPlain(trace);
    const { inside, outside, entered, left } = split(plain);
    expect([entered, left]).toEqual([jumps, jumps]);
    expect(wordsOf(inside, 1)).toHaveLength(jumps);
    expect(plain.end!.lostSegments).toBeLessThanOrEqual(jumps);
    const stores = wordsOf(outside, 0);
    const first = stores[0];
    let expected = 0;
    let repeated = 0;
    for (const address of stores) {
      if (address === first + BigInt((expected % 1000) * 8)) expected++;
      else if (address === first + BigInt(((expected + 999) % 1000) * 8)) repeated++;
      else throw new Error(`store ${expected} went to ${address.toString(16)}`);
    }
    expect(expected).toBeGreaterThanOrEqual(300_000);
    expect(repeated).toBeLessThanOrEqual(jumps);
  });
});

test('signals, forks and allocations on four threads: every store that was made is in the trace', () => {
  const { status, stdout, trace } = bench.record('storm.dptrace', [bench.compile('storm.c')]);
  expect(status).toBe(0);
  const plain = readPlain(trace);
  expect(plain.end).toMatchObject({ threads: 5, segments: Number(stdout), lostSegments: 0 });
  expect(bench.files('storm.dptrace')).toEqual(['storm.dptrace']); // children that did nothing have no trace
});
