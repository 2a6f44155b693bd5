// Several encoders: whoever encodes a thread's chunks, the trace is what one encoder would have written.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readChunks } from '../runtime/plain-reader.js';
import { Workbench } from '../runtime/workbench.js';
import { build, record, report } from './recorded.js';

const PROCESS = 1;
const EVENTS = 3;
const END = 4;
const MAPPINGS = 5;

const bench = new Workbench();
let drains: string;
beforeAll(() => {
  drains = bench.compileDrains();
});
afterAll(() => bench.clean());

/** A line for each chunk; without the time at which it was written. */
function chunksOf(trace: string): string[] {
  return readChunks(trace)
    .chunks.filter(({ kind }) => kind !== PROCESS)
    .map(({ kind, thread, sequence, payload }) => {
      const text = payload.toString(kind === END ? 'utf8' : 'hex');
      const timeless = kind === END ? text.replace(/"durationNs":\d+,"clock":{[^}]*}/, '') : text;
      return `${kind} ${thread} ${sequence} ${timeless}`;
    });
}

describe('one session, drained by 1, 2, 3 and 8 encoders, is one trace', () => {
  test.each([
    ['throng.c', ['12', '2000', 'kill']],
    ['throng.c', ['40', '500', 'return']],
    ['random-threads.c', ['7']],
    ['own-locks.c', []],
    ['counters.cc', []],
    ['messages.cc', []],
  ])('%s %j', (source, words) => {
    const program = build(source, ['-O1']);
    const { status, stderr } = bench.run([drains, bench.path('t'), '1', '2', '3', '8', '--', program, ...words]);
    expect([status, stderr]).toEqual([0, '']);
    const [one, ...others] = [1, 2, 3, 8].map((encoders) => chunksOf(bench.path(`t.${encoders}`)));
    for (const chunks of others) expect(chunks).toEqual(one);
  });

  test('there was something to put in order: a chunk of each thread, and mappings between them', () => {
    const program = build('throng.c', ['-O1']);
    bench.run([drains, bench.path('t'), '8', '--', program, '12', '2000', 'kill']);
    const kinds = readChunks(bench.path('t.8')).chunks.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === EVENTS)).toHaveLength(13);
    expect(kinds.slice(kinds.indexOf(EVENTS)).filter((kind) => kind === MAPPINGS).length).toBeGreaterThan(12);
  });
});

describe('recorded while it runs, a program has the same profile', () => {
  test.each([
    ['throng.c', ['8', '1000', 'return']],
    ['throng.c', ['48', '100', 'return']],
  ])('%s %j', (source, words) => {
    const program = build(source, ['-O1']);
    const profiles = ['1', '2', '8'].map((encoders) => {
      const trace = record(program, words, [], { DPROF_ENCODERS: encoders });
      return report(trace, 'data-profile', '--no-cache');
    });
    expect(profiles[1]).toEqual(profiles[0]);
    expect(profiles[2]).toEqual(profiles[0]);
    expect(profiles[0].rows.length).toBeGreaterThan(3);
  });
});
