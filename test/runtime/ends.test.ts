// However a program ends, everything it did up to then is in its trace, and the trace says how it ended.

import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPlain, type PlainTrace } from './plain-reader.js';
import { recorder, Workbench } from './workbench.js';

const bench = new Workbench();
let program: string;
beforeAll(() => {
  program = bench.compile('ends.c');
});
afterAll(() => bench.clean());

/** The element of `trail` that each store went to; fails if a store went elsewhere or one is missing. */
function storesInOrder(trace: PlainTrace, thread = 0): number {
  const words = trace.threads
    .get(thread)!
    .steps.flatMap((step) => ('region' in step && step.region === 0 ? [step.words[0]] : []));
  const runs = words.filter((word, i) => i === 0 || word !== words[i - 1] + 8n);
  expect(new Set(runs).size).toBe(1); // every walk starts at the same element
  return words.length;
}

function recordEnd(end: string): { status: number | null; stderr: string; main: PlainTrace; others: PlainTrace[] } {
  const { status, stderr, trace } = bench.record(`${end}.dptrace`, [program, end]);
  const others = bench.files(`${end}.dptrace.`).map((name) => readPlain(bench.path(name)));
  return { status, stderr, main: readPlain(trace), others };
}

describe('one process', () => {
  test.each([
    ['return', 0, { code: 0 }],
    ['_exit', 3, { code: 3 }],
    ['abort', 134, { signal: 6 }],
    ['fault', 139, { signal: 11 }],
    ['kill', 137, { signal: 9 }],
    ['exec-other', 9, { code: 9 }],
  ])('%s: all 5,000 stores, exit status %i', (end, expectedStatus, exit) => {
    const { status, main, others, stderr } = recordEnd(end);
    expect(status).toBe(expectedStatus);
    expect(stderr).toBe('');
    expect(main.end).toMatchObject({ exit, threads: 1, segments: 5000, lostSegments: 0 });
    expect(storesInOrder(main)).toBe(5000);
    expect(others).toEqual([]);
  });
});

describe('several processes', () => {
  test('a program that starts itself in its own place leaves two traces', () => {
    const { status, main, others, stderr } = recordEnd('exec');
    expect(status).toBe(0);
    expect(main.end).toMatchObject({ exit: { exec: true }, segments: 5000 });
    expect(others.map((other) => [other.end!.exit, other.end!.segments, other.process.command[1]])).toEqual([
      [{ code: 0 }, 5000, 'return'],
    ]);
    const [trace, later] = [bench.path('exec.dptrace'), bench.path(`exec.dptrace.${main.pid}.2`)];
    expect(stderr).toBe(
      `dprof: 2 processes were recorded:\n  ${trace}  ${statSync(trace).size} bytes  ${program} (pid ` +
        `${main.pid})\n  ${later}  ${statSync(later).size} bytes  ${program} (pid ${main.pid})\n` +
        `dprof: next: dprof report ${trace} ${trace}.*\n`,
    );
  });

  test('a forked child has a trace of its own and writes nothing into its parent’s', () => {
    const { status, main, others } = recordEnd('fork');
    expect(status).toBe(4);
    expect(main.end).toMatchObject({ exit: { code: 4 }, threads: 1, segments: 5100, lostSegments: 0 });
    expect(storesInOrder(main)).toBe(5100);
    expect(others).toHaveLength(1);
    expect(others[0].end).toMatchObject({ exit: { code: 4 }, threads: 1, segments: 200, lostSegments: 0 });
    expect(storesInOrder(others[0])).toBe(200);
    expect(bench.files('fork.dptrace.')).toEqual([`fork.dptrace.${others[0].pid}`]);
  });

  test('a child that only calls exec has one trace: the new program’s', () => {
    const { status, main, others } = recordEnd('fork-exec');
    expect(status).toBe(3);
    expect(main.end).toMatchObject({ segments: 5100 });
    expect(others.map((other) => [other.process.command[1], other.end!.segments])).toEqual([['_exit', 5000]]);
    expect(bench.files('fork-exec.dptrace.')).toEqual([`fork-exec.dptrace.${others[0].pid}`]);
  });

  test('a vfork child disturbs nothing', () => {
    const { status, main, others } = recordEnd('vfork');
    expect(status).toBe(5);
    expect(main.end).toMatchObject({ exit: { code: 5 }, segments: 5100, lostSegments: 0 });
    expect(others).toEqual([]);
  });

  test.each(['clone', 'clone-shared'])('a child of a bare %s maps memory and handles signals by itself', (end) => {
    const { status, main, others } = recordEnd(end);
    expect(status).toBe(5);
    expect(main.end).toMatchObject({ exit: { code: 5 }, lostSegments: 0 });
    expect(storesInOrder(main)).toBe(5100);
    expect(others).toEqual([]);
  });

  test('a background process is waited for', () => {
    const { status, main, others, stderr } = recordEnd('background');
    expect(status).toBe(6);
    expect(main.end).toMatchObject({ exit: { code: 6 }, segments: 5000 });
    expect(others.map((other) => [other.end!.exit, other.end!.segments])).toEqual([[{ code: 0 }, 300]]);
    expect(stderr.split('\n')[0]).toBe('dprof: waiting for 1 background process that records');
  });
});

describe('DPROF_OUT', () => {
  test('a program records itself, and its trace is whole when it has ended', () => {
    const trace = bench.path('self.dptrace');
    expect(bench.run([program, 'return'], { DPROF_OUT: trace })).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(readPlain(trace).end).toMatchObject({ exit: { code: 0 }, segments: 5000, lostSegments: 0 });
  });

  test('_exit waits for the trace as well', () => {
    const trace = bench.path('self-exit.dptrace');
    expect(bench.run([program, '_exit'], { DPROF_OUT: trace }).status).toBe(3);
    expect(readPlain(trace).end).toMatchObject({ exit: { code: 3 }, segments: 5000 });
  });

  test('a child that is executed joins the recording and does not start its own', () => {
    const trace = bench.path('self-child.dptrace');
    expect(bench.run([program, 'fork-exec'], { DPROF_OUT: trace }).status).toBe(3);
    expect(readPlain(trace).end).toMatchObject({ segments: 5100 });
    const children = bench.files('self-child.dptrace.');
    expect(children).toHaveLength(1);
    expect(children[0]).toMatch(/^self-child\.dptrace\.\d+(\.incomplete)?$/);
  });

  test('`record` overrules it', () => {
    const { status, trace } = {
      ...bench.run([recorder, '-o', bench.path('both.dptrace'), '--', program, 'return'], {
        DPROF_OUT: bench.path('unwanted.dptrace'),
      }),
      trace: bench.path('both.dptrace'),
    };
    expect(status).toBe(0);
    expect(readPlain(trace).end).toMatchObject({ segments: 5000 });
    expect(bench.files('unwanted')).toEqual([]);
  });
});

test('without a recording an instrumented program leaves no file', () => {
  const before = bench.files('');
  expect(bench.run([program, 'fork'])).toEqual({ status: 4, stdout: '', stderr: '' });
  expect(bench.files('')).toEqual(before);
});
