// Several encoders at work: nothing of any thread is lost, doubled or out of order, however the program ends.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { type PlainThread, type PlainTrace, readPlain } from './plain-reader.js';
import { recorder, Workbench } from './workbench.js';

const WAVE = 32;
const STEPS = 6_000;
const WAVES = atLength(2, 12);

const bench = new Workbench();
let program: string;
beforeAll(() => {
  program = bench.compile('tumult.c');
});
afterAll(() => bench.clean());

/** How many stores a thread made; each is to the element behind the one before, or the first of the next walk. */
function storesInOrder({ steps }: PlainThread): number {
  const stores = steps.flatMap((step) => ('region' in step && step.region === 0 ? [step.words[0]] : []));
  for (const [i, address] of stores.entries())
    if (address !== stores[i % STEPS === 0 ? 0 : i - 1] + (i % STEPS === 0 ? 0n : 8n)) return -1;
  return stores.length;
}

function record(name: string, end: string): { status: number | null; main: PlainTrace; children: PlainTrace[] } {
  const trace = bench.path(name);
  const command = [recorder, '-o', trace, '--', program, String(WAVES), end];
  const { status } = bench.run(command, { DPROF_ENCODERS: '8' });
  const children = bench.files(`${name}.`).map((file) => readPlain(bench.path(file)));
  return { status, main: readPlain(trace), children };
}

const walkers = (trace: PlainTrace): number[] =>
  [...trace.threads].filter(([thread]) => thread > 0).map(([, steps]) => storesInOrder(steps));

test('threads, signals and forks: every store, in the order of its thread', () => {
  const { status, main, children } = record('return.dptrace', 'return');
  expect(status).toBe(0);
  expect(main.end).toMatchObject({ exit: { code: 0 }, threads: WAVES * WAVE + 1, lostSegments: 0 });
  expect(walkers(main)).toEqual(Array(WAVES * WAVE).fill(2 * STEPS));
  expect(children).toHaveLength(WAVES * 4);
  for (const child of children) {
    expect(child.end).toMatchObject({ exit: { code: 0 }, segments: 3 * STEPS, lostSegments: 0 });
    expect(walkers(child).sort()).toEqual([STEPS, STEPS, STEPS]);
  }
});

test.each([
  ['exit', 7, { code: 7 }],
  ['kill', 137, { signal: 9 }],
])('%s in the middle: what each thread had done up to then', (end, expectedStatus, exit) => {
  const { status, main } = record(`${end}.dptrace`, end);
  expect(status).toBe(expectedStatus);
  expect(main.end).toMatchObject({ exit });
  const stores = walkers(main);
  expect(Math.min(...stores)).toBeGreaterThanOrEqual(0);
  expect(stores.filter((count) => count === 2 * STEPS).length).toBeGreaterThanOrEqual((WAVES - 1) * WAVE);
});
