// Threads and their synchronisation: numbers in creation order, and the events that the order of a replay is made of.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlainEvent, type PlainTrace, readPlain, stepLines } from './plain-reader.js';
import { Workbench } from './workbench.js';

const bench = new Workbench();
afterAll(() => bench.clean());

const eventsOf = (trace: PlainTrace, thread: number): PlainEvent[] =>
  trace.threads.get(thread)!.steps.flatMap((step) => ('event' in step ? [step.event] : []));

describe('threads', () => {
  let program: string;
  beforeAll(() => {
    program = bench.compile('threads.c');
  });

  test('300 threads, 50 at a time: each with all its stores, its life and its join', () => {
    const { status, trace } = bench.record('many.dptrace', [program, '300']);
    expect(status).toBe(0);
    const plain = readPlain(trace);
    expect(plain.end).toMatchObject({ threads: 301, segments: 300 * 1002 + 1, lostSegments: 0 });
    expect([...plain.threads.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 301 }, (_, i) => i));
    const main = eventsOf(plain, 0);
    const create = new Map(
      main
        .filter((event) => event.name === 'RELEASE' && event.detail === 5)
        .map((event) => [event.fields[0], event.stamp!]),
    );
    const join = new Map(
      main
        .filter((event) => event.name === 'ACQUIRE' && event.detail === 6)
        .map((event) => [event.fields[0], event.stamp!]),
    );
    expect([create.size, join.size]).toEqual([300, 300]);
    for (let thread = 1; thread <= 300; thread++) {
      const events = eventsOf(plain, thread);
      const [start, end] = [events[0], events.at(-1)!];
      expect([start.name, start.fields[0], end.name]).toEqual(['THREAD_START', 0n, 'THREAD_END']);
      expect(end.fields).toEqual(start.fields.slice(1));
      expect(create.get(BigInt(thread))! < start.stamp! && end.stamp! < join.get(BigInt(thread))!).toBe(true);
    }
  });

  test('a thread’s stack variables lie in the stack that THREAD_START names', () => {
    const plain = readPlain(bench.record('few.dptrace', [program, '4']).trace);
    for (let thread = 1; thread <= 4; thread++) {
      const [begin, size] = eventsOf(plain, thread)[0].fields.slice(1);
      expect(size).toBe(8n << 20n);
      const stores = plain.threads
        .get(thread)!
        .steps.flatMap((step) => ('region' in step && step.region === 0 ? [step.words[0]] : []));
      expect(stores).toHaveLength(1001);
      expect(stores.slice(0, 1000).every((address) => address >= begin && address < begin + size)).toBe(true);
      expect(stores[1000]).toBe(plain.modules[0].globals[0].address);
    }
  });

  test('every thread says where its thread-locals are, each at another address', () => {
    const plain = readPlain(bench.record('locals.dptrace', [program, '4']).trace);
    const locals = [0, 1, 2, 3, 4].map((thread) =>
      eventsOf(plain, thread)
        .filter((event) => event.name === 'THREAD_LOCAL')
        .map((event) => event.fields),
    );
    expect(locals.map((found) => found.map(([unit, variable]) => [unit, variable]))).toEqual(Array(5).fill([[0n, 2n]]));
    expect(new Set(locals.map((found) => found[0][2])).size).toBe(5);
  });

  test('a stamp at least every 1,000 slots, of which at most four come on each word', () => {
    const plain = readPlain(bench.record('stamps.dptrace', [program, '1']).trace);
    let words = 0;
    let most = 0;
    for (const step of plain.threads.get(1)!.steps) {
      words =
        'event' in step && step.event.stamp !== undefined ? 0 : words + ('event' in step ? 2 : 1 + step.words.length);
      most = Math.max(most, words);
    }
    expect(most).toBe(250);
  });
});

test('each synchronisation leaves its events, on its object, in the order of the program', () => {
  const { status, stdout, trace } = bench.record('sync.dptrace', [bench.compile('sync.c')]);
  expect(status).toBe(0);
  const [mutex, rwlock, condition, barrier, spin, semaphore, counter] = stdout.trim().split(' ');
  const plain = readPlain(trace);
  const files = eventsOf(plain, 0)
    .filter((event) => event.detail === 8)
    .map((event) => event.fields[0].toString(16));
  const lines = stepLines(plain.threads.get(0)!).filter((line) => !/^(TIME|ALLOCATE|FREE|THREAD_LOCAL)/.test(line));
  const thread = stepLines(plain.threads.get(1)!).filter(
    (line) => !/^(TIME|ALLOCATE|FREE|UNSEEN|THREAD_LOCAL)/.test(line),
  );
  const blocks = lines
    .join('\n')
    .split('#4')
    .map((block) =>
      block
        .trim()
        .split('\n')
        .filter((line) => line !== ''),
    );
  const calloc = 'UNSEEN:1';
  expect(
    blocks
      .slice(1)
      .map((block) =>
        block.filter((line) => !line.startsWith(calloc)).map((line) => line.replace(/^(UNSEEN:4 \d+) .*/, '$1')),
      ),
  ).toEqual([
    [
      `ACQUIRE:1 ${mutex}`,
      `RELEASE:1 ${mutex}`,
      `ACQUIRE:1 ${mutex}`,
      `RELEASE:1 ${mutex}`,
      `ACQUIRE:1 ${mutex}`,
      `RELEASE:1 ${mutex}`,
    ],
    [
      `ACQUIRE:2 ${rwlock}`,
      `RELEASE:2 ${rwlock}`,
      `ACQUIRE:2 ${rwlock}`,
      `RELEASE:2 ${rwlock}`,
      `ACQUIRE:10 ${spin}`,
      `RELEASE:10 ${spin}`,
      `RELEASE:7 ${semaphore}`,
      `ACQUIRE:7 ${semaphore}`,
      `RELEASE:3 ${condition}`,
      `RELEASE:4 ${barrier}`,
      `ACQUIRE:4 ${barrier}`,
    ],
    [
      `RELEASE:8 ${files[0]}`,
      `ACQUIRE:8 ${files[0]}`,
      'UNSEEN:4 7',
      `RELEASE:8 ${files[2]}`,
      `ACQUIRE:8 ${files[3]}`,
      'UNSEEN:4 5',
      `RELEASE:8 ${files[4]}`,
      `ACQUIRE:8 ${files[4]}`,
      'UNSEEN:4 8',
      'UNSEEN:4 9',
    ],
    ['BLOCKED:0', 'BLOCKED:0', `#3 ${counter}`],
    [
      `ACQUIRE:1 ${mutex}`,
      'RELEASE:5 1',
      `RELEASE:1 ${mutex}`,
      `ACQUIRE:1 ${mutex}`,
      `ACQUIRE:3 ${condition}`,
      `RELEASE:1 ${mutex}`,
      'ACQUIRE:6 1',
    ],
    [],
  ]);
  expect(thread.slice(1, 4)).toEqual([`ACQUIRE:1 ${mutex}`, `RELEASE:3 ${condition}`, `RELEASE:1 ${mutex}`]);
  expect(thread.at(-1)).toMatch(/^THREAD_END/); // pthread_exit ends a thread as well
});
